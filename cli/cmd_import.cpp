// `skiff import`: a file of records into a table.
#include "cli.hpp"
#include "import/byte_source.hpp"
#include "import/control_records.hpp"
#include "import/csv_reader.hpp"
#include "import/importer.hpp"
#include "import/json_reader.hpp"
#include "import/reject_log.hpp"
#include "open_file.hpp"
#include "output.hpp"
#include "report.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace skiff_cli {

namespace {

struct import_options {
    file_options file;
    std::string table;
    std::filesystem::path source;
    std::string format;
    std::filesystem::path reject;
    std::string delimiter;
    std::string null_text;
    std::int64_t batch = 10'000;
    bool header = false;  ///< says what is so without it
    bool no_header = false;
    bool create = false;
    bool append = false;
    bool dry_run = false;
    bool allow_bad = false;
    bool json = false;
};

constexpr const char* import_footer =
    R"(SOURCE is a file, a file compressed as .lz4, or - for standard input. It is read
once and in constant memory, so its size does not matter.

Formats, by the name's ending unless --format says otherwise:
  csv             .csv, .tsv   RFC 4180; an empty field without quotes is NULL
  jsonl           .jsonl, .ndjson, .json   an object a line; nested values are
                  stored as JSON text, true and false as 1 and 0
  debian-control  Packages, Sources   a stanza is a row, its fields the columns

A table that does not exist is made. Its columns are typed by the first 1,000
records: INTEGER, REAL or TEXT; numbers with leading zeros or a plus stay TEXT,
mixed columns are TEXT. Keys that come later become further columns. In a table
that exists, columns are matched by name (by position with --no-header).

Bad rows are left out and counted: a wrong number of fields, a broken quote,
invalid JSON or UTF-8, a value that does not fit its column, a constraint of the
table. The first 10 are shown, --reject keeps all of them, each below a line
'# line N: why'. The exit code is then 1, unless --allow-bad is given.

Rows are committed in batches. An error or Ctrl-C commits nothing of the batch
in hand; the message says how many rows are in.

Examples:
  skiff import app.db words words.csv
  skiff import app.db event log.jsonl --append --reject bad.jsonl
  curl -s https://example.org/data.csv | skiff import app.db data - --format csv
  skiff import deb.db package debian_main_binary-amd64_Packages.lz4
)";

std::string format_by_name(const import_options& options) {
    if (!options.format.empty()) return options.format;
    std::filesystem::path name = options.source.filename();
    if (name.extension() == ".lz4") name = name.stem();
    const auto ending = name.extension();
    if (ending == ".csv" || ending == ".tsv") return "csv";
    if (ending == ".jsonl" || ending == ".ndjson" || ending == ".json") return "jsonl";
    const std::string whole = name.string();
    if (whole.ends_with("Packages") || whole.ends_with("Sources")) return "debian-control";
    throw usage_error(
        fmt::format("the name {} does not tell the format; add --format csv, jsonl or "
                    "debian-control",
                    options.source.string()));
}

char delimiter_of(const import_options& options) {
    if (options.delimiter.empty()) {
        auto name = options.source;
        if (name.extension() == ".lz4") name = name.stem();
        return name.extension() == ".tsv" ? '\t' : ',';
    }
    if (options.delimiter == "tab" || options.delimiter == "\\t") return '\t';
    const char first = options.delimiter[0];
    if (options.delimiter.size() != 1 || first == '"' || first == '\n' || first == '\r') {
        throw usage_error("--delimiter takes one character, or the word tab");
    }
    return first;
}

std::unique_ptr<record_reader> make_reader(const import_options& options,
                                           const std::string& format,
                                           byte_source& source) {
    if (format == "jsonl") return std::make_unique<json_reader>(source);
    if (format == "debian-control") return std::make_unique<control_records>(source);
    return std::make_unique<csv_reader>(source, csv_options{.delimiter = delimiter_of(options),
                                                            .header = !options.no_header,
                                                            .null_text = options.null_text});
}

/// The database, or nothing for a dry run into a file that is not there.
std::optional<skiff::connection> open_target(const import_options& options) {
    if (!options.dry_run) return open_file(options.file, skiff::open_mode::create);
    std::error_code ignored;
    if (!std::filesystem::exists(options.file.path, ignored)) return std::nullopt;
    return open_file(options.file, skiff::open_mode::read_only);
}

std::string json_summary(const import_options& options, const import_summary& done) {
    std::string columns;
    for (const auto& column : done.columns) {
        columns += fmt::format("{}{{\"name\":{},\"type\":\"{}\"}}", columns.empty() ? "" : ",",
                               json_string(column.name), name_of(column.type));
    }
    return fmt::format(
        "{{\"table\":{},\"created\":{},\"dry_run\":{},\"rows\":{},\"rejected\":{},"
        "\"skipped_lines\":{},\"columns\":[{}]}}\n",
        json_string(options.table), done.created, options.dry_run, done.rows, done.rejected,
        done.skipped_lines, columns);
}

std::string text_summary(const import_options& options,
                         const import_summary& done,
                         std::chrono::nanoseconds took) {
    std::string text = fmt::format("table {} ({}):\n", options.table,
                                   !done.created     ? "existing"
                                   : options.dry_run ? "would be made"
                                                     : "new");
    for (const auto& column : done.columns) {
        text += fmt::format("  column {} {}\n", column.name, name_of(column.type));
    }
    text += fmt::format("{} row{} {} in {}", grouped(static_cast<std::uint64_t>(done.rows)),
                        done.rows == 1 ? "" : "s", options.dry_run ? "read" : "imported",
                        readable_duration(took));
    const double seconds = std::chrono::duration<double>(took).count();
    if (seconds > 0.5) {
        const double rate = static_cast<double>(done.rows) / seconds;
        text += fmt::format(" ({} rows/s)", grouped(static_cast<std::uint64_t>(rate)));
    }
    if (done.rejected > 0) text += fmt::format(", {} rejected", grouped(done.rejected));
    if (done.skipped_lines > 0) {
        text += fmt::format(", {} lines made no sense", grouped(done.skipped_lines));
    }
    return text + "\n";
}

exit_code run_import(const import_options& options) {
    const std::string format = format_by_name(options);
    std::unique_ptr<byte_source> source;
    try {
        source = open_source(options.source);
    } catch (const std::system_error& failure) {
        report_line(failure.what());
        return exit_code::cannot_open;
    }
    const auto reader = make_reader(options, format, *source);
    reject_log rejects(options.reject);
    auto db = open_target(options);

    const import_settings settings{.table = options.table,
                                   .policy = options.create   ? table_policy::create
                                             : options.append ? table_policy::append
                                                              : table_policy::create_or_append,
                                   .batch_rows = options.batch,
                                   .dry_run = options.dry_run,
                                   .by_position = format == "csv" && options.no_header};
    const auto begun = std::chrono::steady_clock::now();
    importer work(db ? &*db : nullptr, *source, *reader, rejects, settings);
    const import_summary done = work.run();
    const auto took = std::chrono::steady_clock::now() - begun;
    rejects.close();
    if (db) db->close();

    output_file output;
    output.write(options.json ? json_summary(options, done) : text_summary(options, done, took));
    output.flush();
    const bool clean = done.rejected == 0 && done.skipped_lines == 0;
    return clean || options.allow_bad ? exit_code::ok : exit_code::failed;
}

void add_csv_options(CLI::App& verb, import_options& options) {
    verb.add_option("--delimiter", options.delimiter,
                    "what separates CSV fields: one character, or tab\n(a comma; for .tsv a tab)")
        ->type_name("CHAR");
    auto* header = verb.add_flag("--header", options.header,
                                 "the first CSV line holds the column names (it does)");
    verb.add_flag("--no-header", options.no_header,
                  "it is a record; the columns are column_1, column_2 …")
        ->excludes(header);
    verb.add_option("--null", options.null_text,
                    "the unquoted CSV field that is NULL (an empty one)")
        ->type_name("TEXT");
}

}  // namespace

void add_import(CLI::App& app, context& shared) {
    auto options = std::make_shared<import_options>();
    auto* verb =
        app.add_subcommand("import", "Read CSV, JSON lines or Debian packages into a table");
    add_file_options(*verb, options->file);
    verb->add_option("TABLE", options->table, "the table, made when it does not exist")
        ->required()
        ->type_name("");
    verb->add_option("SOURCE", options->source, "the file to read; - is standard input")
        ->required()
        ->type_name("");
    verb->add_option("--format", options->format, "csv, jsonl or debian-control")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"csv", "jsonl", "debian-control"}).description(""));
    auto* create = verb->add_flag("--create", options->create, "the table must not exist yet");
    verb->add_flag("--append", options->append, "the table must exist already")->excludes(create);
    add_csv_options(*verb, *options);
    verb->add_option("--batch", options->batch, "rows in a transaction")
        ->type_name("ROWS")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
        ->capture_default_str();
    verb->add_option("--reject", options->reject, "keep bad rows in this file")->type_name("FILE");
    verb->add_flag("--allow-bad", options->allow_bad, "bad rows do not make the exit code 1");
    verb->add_flag("--dry-run", options->dry_run, "read and check everything, store nothing");
    verb->add_flag("--json", options->json, "print the summary as JSON");
    verb->footer(import_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_import(*options); }; });
}

}  // namespace skiff_cli
