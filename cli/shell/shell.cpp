// The session's loop: lines in, statements and commands out; errors are reported and forgotten at a
// terminal, and end a script.
#include "shell/shell.hpp"

#include "cli.hpp"
#include "report.hpp"
#include "shell/commands.hpp"
#include "shell/line_editor.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <skiff/mapping/text.hpp>
#include <skiff/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace skiff_cli {

namespace {

constexpr const char* completion_sql =
    "select name from sqlite_schema where name not like 'sqlite_%'"
    " union select c.name from sqlite_schema s, pragma_table_xinfo(s.name) c"
    " where s.type in ('table', 'view')";

constexpr std::string_view keywords[] = {"alter table ",
                                         "analyze",
                                         "begin",
                                         "between ",
                                         "commit",
                                         "create index ",
                                         "create table ",
                                         "delete ",
                                         "distinct ",
                                         "drop table ",
                                         "explain query plan ",
                                         "from ",
                                         "group by ",
                                         "having ",
                                         "insert into ",
                                         "join ",
                                         "left join ",
                                         "limit ",
                                         "order by ",
                                         "pragma ",
                                         "returning ",
                                         "rollback",
                                         "select ",
                                         "update ",
                                         "vacuum",
                                         "values ",
                                         "where "};

/// A statement as one history entry: on one line, unless a comment would swallow the rest.
std::string history_entry(std::string text) {
    if (text.find("--") == std::string::npos) std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

shell::shell(skiff::connection& db, const shell_settings& settings)
    : db_(db), settings_(settings), writer_(make_writer(settings.format, output_)) {}

void shell::set_format(output_format format) {
    settings_.format = format;
    writer_ = make_writer(format, output_);
}

exit_code shell::talk() {
    talking_ = true;
    line_editor editor(line_editor::default_history(), [this] { return completions(); });
    report_note(fmt::format("skiff {}, SQLite {}\nEnd statements with ; — .help lists commands.",
                            skiff::library_version(), skiff::sqlite_version()));
    sql_splitter statements;
    std::string entry;
    while (!quit_) {
        const typed_line typed = editor.read(prompt(statements));
        if (typed.how == typed_line::outcome::end) break;
        if (typed.how == typed_line::outcome::interrupted) {
            statements.clear();
            entry.clear();
            continue;
        }
        entry += entry.empty() ? typed.text : "\n" + typed.text;
        take_line(typed.text, statements);
        if (statements.has_begun()) continue;
        if (entry.find_first_not_of(" \t") != std::string::npos) {
            editor.remember(history_entry(std::move(entry)));
        }
        entry.clear();
    }
    editor.save();
    if (db_.in_transaction()) report_note("the open transaction is rolled back");
    output_.close();
    return exit_code::ok;
}

exit_code shell::run_script(byte_source& source, std::string_view name) {
    run_lines(source, name);
    output_.close();
    return worst_;
}

bool shell::run_lines(byte_source& source, std::string_view name) {
    const std::string outer_script = std::exchange(script_, std::string(name));
    const int outer_line = std::exchange(line_, 0);
    sql_splitter statements;
    std::string carried;
    bool going = true;
    for (auto chunk = source.read(); going && !quit_ && !chunk.empty(); chunk = source.read()) {
        std::size_t end = chunk.find('\n');
        for (; going && !quit_ && end != std::string_view::npos; end = chunk.find('\n')) {
            carried += chunk.substr(0, end);
            chunk.remove_prefix(end + 1);
            going = take_line(carried, statements);
            carried.clear();
        }
        carried += chunk;
    }
    if (going && !quit_ && !carried.empty()) going = take_line(carried, statements);
    if (going && !quit_) going = run_rest(statements);
    script_ = outer_script;
    line_ = outer_line;
    return going;
}

bool shell::take_line(std::string_view line, sql_splitter& statements) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!statements.has_begun() && line.starts_with('.')) return run_command(line);
    statements.feed(line);
    statements.feed("\n");
    while (auto each = statements.next()) {
        if (!run_statement(*each)) return false;
    }
    return true;
}

bool shell::run_rest(sql_splitter& statements) {
    while (auto each = statements.rest()) {
        if (!run_statement(*each)) return false;
    }
    return true;
}

bool shell::run_command(std::string_view line) {
    try {
        run_shell_command(*this, line);
        const bool typed = talking_ && depth_ == 0;
        return !std::exchange(inner_script_failed_, false) || typed || settings_.keep_going;
    } catch (...) {
        return goes_on_after(std::current_exception(), line_);
    }
}

bool shell::run_statement(const script_statement& statement) {
    const auto begun = std::chrono::steady_clock::now();
    try {
        const interrupt_scope stop(db_);
        const auto done = run_sql(db_, statement.text, no_parameters_, *writer_, stop);
        output_.flush();
        if (talking_ && done.changes_rows) report_note(changes_text(done.changes));
        if (timer_) {
            report_note(fmt::format("time: {}",
                                    readable_duration(std::chrono::steady_clock::now() - begun)));
        }
        return true;
    } catch (...) {
        const auto failure = std::current_exception();
        output_.flush();
        return goes_on_after(failure, statement.line);
    }
}

bool shell::goes_on_after(const std::exception_ptr& failure, int line) {
    const bool typed = talking_ && depth_ == 0;
    const exit_code code = report(failure, {.name = script_, .line = typed ? 0 : line});
    if (worst_ == exit_code::ok) worst_ = code == exit_code::usage ? exit_code::failed : code;
    return typed || (settings_.keep_going && code != exit_code::interrupted);
}

std::string shell::prompt(const sql_splitter& statements) const {
    if (!statements.has_begun()) return db_.in_transaction() ? "skiff*> " : "skiff> ";
    const auto part = statements.open_part();
    if (part == "trigger") return "  end;> ";
    return fmt::format("{:>5}> ", part.empty() ? "..." : part);
}

std::vector<std::string> shell::completions() {
    std::vector<std::string> found(std::begin(keywords), std::end(keywords));
    for (const auto& name : shell_command_names()) found.push_back(name);
    for (auto& name : db_.all<std::string>(completion_sql)) found.push_back(std::move(name));
    return found;
}

}  // namespace skiff_cli
