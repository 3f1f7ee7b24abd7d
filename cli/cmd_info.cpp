// `skiff info`: what a database file is and holds. Opens it read-only.
#include "cli.hpp"
#include "open_file.hpp"
#include "output.hpp"
#include "side_files.hpp"
#include "signals.hpp"
#include "terminal.hpp"
#include "value_guess.hpp"

#include <skiff/connection.hpp>
#include <skiff/error.hpp>
#include <skiff/mapping/text.hpp>
#include <skiff/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace skiff_cli {

namespace {

struct info_options {
    file_options file;
    bool json = false;
    bool fast = false;
};

struct table_info {
    std::string name;
    std::string kind;                  ///< table or virtual
    std::optional<std::int64_t> rows;  ///< nothing when not counted
    std::int64_t indexes = 0;
};

struct file_info {
    std::string path;
    std::uint64_t bytes = 0;
    std::uint64_t wal_bytes = 0;
    std::int64_t page_size = 0;
    std::int64_t page_count = 0;
    std::int64_t free_pages = 0;
    std::string journal_mode;
    std::string encoding;
    std::int64_t user_version = 0;
    std::int64_t application_id = 0;
    std::string vfs;  ///< that serves the file to this program
    std::vector<table_info> tables;
};

constexpr const char* info_footer =
    R"(The file is opened read-only and not changed. In WAL mode SQLite makes -wal and
-shm files next to it meanwhile, so the directory must be writable unless they
are there. Counting the rows of large tables takes a while: --fast leaves it out.

Examples:
  skiff info app.db
  skiff info app.db --json --fast
)";

std::uint64_t size_of(const std::filesystem::path& path) {
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(path, absent);
    return absent ? 0 : bytes;
}

std::vector<table_info> tables_of(skiff::connection& db) {
    std::vector<table_info> tables;
    for (const auto& [name, kind, indexes] :
         db.rows<std::string_view, std::string_view, std::int64_t>(
             "select t.name, t.type, (select count(*) from pragma_index_list(t.name))"
             " from pragma_table_list t where t.schema = 'main'"
             " and t.type in ('table', 'virtual') and t.name not like 'sqlite!_%' escape '!'"
             " order by t.name")) {
        tables.push_back({std::string(name), std::string(kind), std::nullopt, indexes});
    }
    return tables;
}

void count_rows(skiff::connection& db, std::vector<table_info>& tables) {
    const interrupt_scope stop(db);
    elapsed_line shown("counting rows");
    std::uint64_t done = 0;
    for (table_info& table : tables) {
        stop.check();
        shown.step(table.name, done++, tables.size());
        try {
            table.rows = db.one<std::int64_t>(
                fmt::format("select count(*) from {}", quoted_identifier(table.name)));
        } catch (const skiff::error& failure) {
            // A virtual table whose module is not here cannot be counted, all else can.
            if (table.kind != "virtual" || failure.code() != skiff::errc::generic) throw;
        }
    }
}

file_info look(const info_options& options) {
    const side_files beside(options.file.path);
    auto db = open_file(options.file, skiff::open_mode::read_only);
    file_info found;
    found.path = options.file.path.string();
    found.bytes = size_of(options.file.path);
    found.wal_bytes = size_of(options.file.path.string() + "-wal");
    {
        // One transaction, so that all figures are of one state.
        auto reading = db.begin(skiff::transaction_mode::deferred);
        found.page_size = db.one<std::int64_t>("pragma page_size");
        found.page_count = db.one<std::int64_t>("pragma page_count");
        found.free_pages = db.one<std::int64_t>("pragma freelist_count");
        found.journal_mode = db.one<std::string>("pragma journal_mode");
        found.encoding = db.one<std::string>("pragma encoding");
        found.user_version = db.one<std::int64_t>("pragma user_version");
        found.application_id = db.one<std::int64_t>("pragma application_id");
        found.tables = tables_of(db);
        found.vfs = db.file_status() ? "skiff" : "unix";
        if (!options.fast) count_rows(db, found.tables);
    }
    db.close();
    return found;
}

std::string json_of(const file_info& found) {
    std::string tables;
    for (const table_info& each : found.tables) {
        tables += fmt::format("{}{{\"name\":{},\"type\":\"{}\",\"rows\":{},\"indexes\":{}}}",
                              tables.empty() ? "" : ",", json_string(each.name), each.kind,
                              each.rows ? std::to_string(*each.rows) : "null", each.indexes);
    }
    return fmt::format(
        "{{\"path\":{},\"bytes\":{},\"wal_bytes\":{},\"page_size\":{},\"page_count\":{},"
        "\"freelist_count\":{},\"journal_mode\":{},\"encoding\":{},\"user_version\":{},"
        "\"application_id\":{},\"vfs\":\"{}\",\"sqlite_version\":{},\"skiff_version\":{},"
        "\"tables\":[{}]}}\n",
        json_string(found.path), found.bytes, found.wal_bytes, found.page_size, found.page_count,
        found.free_pages, json_string(found.journal_mode), json_string(found.encoding),
        found.user_version, found.application_id, found.vfs, json_string(skiff::sqlite_version()),
        json_string(skiff::library_version()), tables);
}

std::string tables_text(const std::vector<table_info>& tables) {
    if (tables.empty()) return "no tables\n";
    const auto count_text = [](const table_info& table) {
        return table.rows ? grouped(static_cast<std::uint64_t>(*table.rows)) : std::string("-");
    };
    int name_width = 5;
    std::size_t rows_width = 4;
    for (const table_info& each : tables) {
        name_width = std::max(name_width, display_width(each.name));
        rows_width = std::max(rows_width, count_text(each).size());
    }
    std::string text =
        fmt::format("table{:{}}  {:>{}}  indexes\n", "", name_width - 5, "rows", rows_width);
    for (const table_info& each : tables) {
        text += fmt::format("{}{:{}}  {:>{}}  {:>7}\n", each.name, "",
                            name_width - display_width(each.name), count_text(each), rows_width,
                            each.indexes);
    }
    return text;
}

std::string text_of(const file_info& found) {
    std::string text;
    const auto line = [&](std::string_view label, const std::string& content) {
        text += fmt::format("{:<16}{}\n", label, content);
    };
    line("file", found.path);
    line("size", fmt::format("{} ({} bytes)", readable_bytes(found.bytes), grouped(found.bytes)));
    line("wal", found.wal_bytes == 0 ? std::string("none") : readable_bytes(found.wal_bytes));
    line("pages",
         fmt::format("{} of {} bytes, {} free",
                     grouped(static_cast<std::uint64_t>(found.page_count)), found.page_size,
                     grouped(static_cast<std::uint64_t>(found.free_pages))));
    line("journal mode", found.journal_mode);
    line("encoding", found.encoding);
    line("user version", std::to_string(found.user_version));
    line("application id", std::to_string(found.application_id));
    line("read by", fmt::format("skiff {}, SQLite {}, VFS {}", skiff::library_version(),
                                skiff::sqlite_version(), found.vfs));
    return text + "\n" + tables_text(found.tables);
}

exit_code run_info(const info_options& options) {
    const file_info found = look(options);
    output_file output;
    output.write(options.json ? json_of(found) : text_of(found));
    output.flush();
    return exit_code::ok;
}

}  // namespace

void add_info(CLI::App& app, context& shared) {
    auto options = std::make_shared<info_options>();
    auto* verb = app.add_subcommand("info", "Say what a database file is and holds");
    add_file_options(*verb, options->file);
    verb->add_flag("--fast", options->fast, "do not count rows");
    verb->add_flag("--json", options->json, "print one JSON object");
    verb->footer(info_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_info(*options); }; });
}

}  // namespace skiff_cli
