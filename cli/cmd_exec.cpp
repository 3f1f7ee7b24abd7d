// `skiff exec`: runs SQL given as arguments or on standard input and prints what it returns.
#include "cli.hpp"
#include "import/byte_source.hpp"
#include "open_file.hpp"
#include "report.hpp"
#include "run_sql.hpp"
#include "sql_splitter.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>
#include <skiff/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skiff_cli {

namespace {

struct exec_options {
    file_options file;
    std::vector<std::string> sql;
    std::vector<std::string> parameters;
    std::vector<std::string> text_parameters;
    bool table = false;
    bool csv = false;
    bool json = false;
    bool read_only = false;
    bool script = false;
};

constexpr const char* exec_footer =
    R"(Parameters are :name, @name, $name or ? in the SQL. A value is read as an
integer, a real number or NULL if it has that form, else as text; a number with
leading zeros stays text. name:=value is always text.

Formats: a table on a terminal, CSV elsewhere, unless one is asked for.
  CSV   NULL is an empty field, the empty text is "", a blob is x'hex'.
  JSON  an array of objects for each statement that returns columns; integers
        are exact, infinity is 9e999, a blob is {"$blob":"base64"}.

A file that does not exist is made. Each statement is a transaction of its own,
unless the SQL says BEGIN.

Examples:
  skiff exec app.db 'select * from user limit 5'
  skiff exec app.db 'select name from user where id = :id' --param id=42 --json
  skiff exec app.db 'insert into tag(code) values (?)' --param 1:=007
  skiff exec app.db --script - < schema.sql
)";

output_format format_of(const exec_options& options) {
    if (options.json) return output_format::json;
    if (options.csv) return output_format::csv;
    if (options.table) return output_format::table;
    return default_format();
}

/// One run of the verb: the connection, the output and the parameters.
class exec_run {
  public:
    explicit exec_run(const exec_options& options)
        : db_(open_file(
              options.file,
              options.read_only ? skiff::open_mode::read_only : skiff::open_mode::create)),
          writer_(make_writer(format_of(options), output_)) {
        auto& list = parameters_.list;
        for (const auto& each : options.parameters) list.push_back(parameter_from(each));
        for (const auto& each : options.text_parameters) list.push_back(text_parameter_from(each));
        parameters_.for_one_statement = options.sql.size() == 1 && !options.script;
    }

    /// One argument that holds one statement.
    void single(std::string_view sql) {
        try {
            run(sql);
        } catch (const skiff::error& failure) {
            if (failure.code() != skiff::errc::second_statement) throw;
            auto details = failure.details();
            details.advice = "add --script, or give each statement as an argument of its own";
            skiff::throw_error(std::move(details));
        }
    }

    /// A script as it comes in, statement by statement.
    void script(byte_source& source) {
        sql_splitter statements;
        for (auto chunk = read(source); !chunk.empty(); chunk = read(source)) {
            statements.feed(chunk);
            while (auto each = statements.next()) placed(*each);
        }
        while (auto each = statements.rest()) placed(*each);
    }

    void script(std::string_view sql) {
        sql_splitter statements;
        statements.feed(sql);
        while (auto each = statements.rest()) placed(*each);
    }

    exit_code finish() {
        output_.flush();
        for (const auto& each : parameters_.list) {
            if (!each.used) {
                report_line(fmt::format("no statement has a parameter {}", each.name));
                return exit_code::usage;
            }
        }
        return exit_code::ok;
    }

    /// Writes out what was printed before an error.
    void flush() { output_.flush(); }
    /// The place of the statement that failed, when it was one of a script.
    [[nodiscard]] script_place where() const noexcept { return {.name = {}, .line = line_}; }

  private:
    void placed(const script_statement& each) {
        line_ = each.line;
        run(each.text);
        line_ = 0;
    }

    /// Waiting for input is no work: Ctrl-C then ends the program at once.
    std::string_view read(byte_source& source) {
        stop_.reset();
        return source.read();
    }

    void run(std::string_view sql) {
        if (!stop_) stop_.emplace(db_);
        const auto done = run_sql(db_, sql, parameters_, *writer_, *stop_);
        if (done.columns > 0) output_.flush();
        if (done.changes_rows && is_terminal(stream::errors)) {
            report_note(changes_text(done.changes));
        }
    }

    skiff::connection db_;
    std::optional<interrupt_scope> stop_;
    output_file output_;
    std::unique_ptr<row_writer> writer_;
    parameter_set parameters_;
    int line_ = 0;
};

std::string whole(byte_source& source) {
    std::string text;
    for (auto chunk = source.read(); !chunk.empty(); chunk = source.read()) text += chunk;
    return text;
}

void run_argument(exec_run& run, const std::string& sql, bool script) {
    if (sql != "-") {
        script ? run.script(sql) : run.single(sql);
        return;
    }
    const auto source = open_source("-");
    script ? run.script(*source) : run.single(whole(*source));
}

exit_code run_exec(const exec_options& options) {
    exec_run run(options);
    try {
        for (const auto& each : options.sql) run_argument(run, each, options.script);
    } catch (...) {
        const auto failure = std::current_exception();
        run.flush();
        return report(failure, run.where());
    }
    return run.finish();
}

}  // namespace

void add_exec(CLI::App& app, context& shared) {
    auto options = std::make_shared<exec_options>();
    auto* verb = app.add_subcommand("exec", "Run SQL and print what it returns");
    add_file_options(*verb, options->file);
    verb->add_option("SQL", options->sql, "one statement each; - reads it from standard input")
        ->required()
        ->type_name("");
    auto* table = verb->add_flag("--table", options->table, "print aligned columns");
    auto* csv = verb->add_flag("--csv", options->csv, "print comma-separated values with a header");
    auto* json = verb->add_flag("--json", options->json, "print an array of objects");
    table->excludes(csv, json);
    csv->excludes(json);
    verb->add_option("--param", options->parameters, "a parameter's value, may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    verb->add_option("--param-text", options->text_parameters, "the same, always as text")
        ->type_name("NAME=TEXT")
        ->allow_extra_args(false);
    verb->add_flag("--script", options->script, "allow several statements in one SQL argument");
    verb->add_flag("--read-only", options->read_only, "refuse to change the file or to make it");
    verb->footer(exec_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_exec(*options); }; });
}

}  // namespace skiff_cli
