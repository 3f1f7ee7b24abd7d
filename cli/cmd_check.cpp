// `skiff check`: is the file sound, and do its foreign keys hold. Opens it read-only.
#include "cli.hpp"
#include "open_file.hpp"
#include "output.hpp"
#include "side_files.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>
#include <skiff/error.hpp>
#include <skiff/mapping/text.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

namespace {

/// Findings of each kind that are kept; more are counted.
constexpr std::uint64_t findings_max = 100;

struct check_options {
    file_options file;
    bool json = false;
    bool quick = false;
};

/// A row whose parent is missing.
struct broken_key {
    std::string table;
    std::optional<std::int64_t> rowid;  ///< nothing in a table WITHOUT ROWID
    std::string parent;
};

struct findings {
    std::vector<std::string> damages;
    std::vector<broken_key> broken_keys;
    std::uint64_t broken_key_count = 0;
    [[nodiscard]] bool none() const { return damages.empty() && broken_key_count == 0; }
};

constexpr const char* check_footer =
    R"(Reads every page, index and row; --quick leaves out the comparison of indexes
with their tables. Foreign keys are checked in either case. Up to 100 findings
of each kind are printed. The file is opened read-only. In WAL mode SQLite makes
-wal and -shm files next to it meanwhile, so the directory must be writable
unless they are there.

The exit code is 0 when nothing was found, 4 when something was, 3 when the file
is no database.

Examples:
  skiff check app.db
  skiff check backup.db --quick --json
)";

void check_pages(skiff::connection& db, bool quick, findings& found) {
    const std::string sql =
        fmt::format("pragma {}({})", quick ? "quick_check" : "integrity_check", findings_max);
    for (const auto line : db.rows<std::string_view>(sql)) {
        if (line != "ok") found.damages.emplace_back(line);
    }
}

void check_foreign_keys(skiff::connection& db, findings& found) {
    for (const auto& [table, rowid, parent, key] :
         db.rows<std::string_view, std::optional<std::int64_t>, std::string_view, std::int64_t>(
             "pragma foreign_key_check")) {
        if (++found.broken_key_count <= findings_max) {
            found.broken_keys.push_back({std::string(table), rowid, std::string(parent)});
        }
    }
}

/// Damage that stops SQLite from reading on is a finding, too.
template <class Check>
void guarded(findings& found, Check&& check) {
    try {
        check();
    } catch (const skiff::corrupt& damage) {
        if (damage.code() != skiff::errc::corrupt) throw;
        found.damages.emplace_back(damage.message());
    }
}

findings run_checks(skiff::connection& db, bool quick) {
    findings found;
    const interrupt_scope stop(db);
    elapsed_line shown("checking");
    shown.step(quick ? "pages" : "pages and indexes", 0, 0);
    guarded(found, [&] { check_pages(db, quick, found); });
    stop.check();
    shown.step("foreign keys", 0, 0);
    guarded(found, [&] { check_foreign_keys(db, found); });
    return found;
}

std::string rowid_text(const broken_key& key, std::string_view absent) {
    return key.rowid ? std::to_string(*key.rowid) : std::string(absent);
}

std::string json_of(const findings& found) {
    std::string damages;
    for (const auto& line : found.damages) {
        damages += fmt::format("{}{}", damages.empty() ? "" : ",", json_string(line));
    }
    std::string keys;
    for (const auto& each : found.broken_keys) {
        keys += fmt::format("{}{{\"table\":{},\"rowid\":{},\"parent\":{}}}",
                            keys.empty() ? "" : ",", json_string(each.table),
                            rowid_text(each, "null"), json_string(each.parent));
    }
    return fmt::format(
        "{{\"ok\":{},\"damage\":[{}],\"foreign_keys\":[{}],\"foreign_key_count\":{}}}\n",
        found.none(), damages, keys, found.broken_key_count);
}

std::string text_of(const findings& found) {
    if (found.none()) return "ok\n";
    std::string text;
    for (const auto& line : found.damages) text += fmt::format("damage: {}\n", line);
    for (const auto& each : found.broken_keys) {
        text += fmt::format("foreign key: table {}, row {}: no such row in {}\n", each.table,
                            rowid_text(each, "?"), each.parent);
    }
    if (found.broken_key_count > findings_max) {
        text += fmt::format("{} further foreign keys do not hold\n",
                            grouped(found.broken_key_count - findings_max));
    }
    return text;
}

exit_code run_check(const check_options& options) {
    findings found;
    const side_files beside(options.file.path);
    std::optional<skiff::connection> db;
    guarded(found, [&] {
        db.emplace(open_file(options.file, skiff::open_mode::read_only));
        found = run_checks(*db, options.quick);
    });
    output_file output;
    output.write(options.json ? json_of(found) : text_of(found));
    output.flush();
    return found.none() ? exit_code::ok : exit_code::damaged;
}

}  // namespace

void add_check(CLI::App& app, context& shared) {
    auto options = std::make_shared<check_options>();
    auto* verb = app.add_subcommand("check", "Look for damage and broken foreign keys");
    add_file_options(*verb, options->file);
    verb->add_flag("--quick", options->quick, "do not compare indexes with their tables");
    verb->add_flag("--json", options->json, "print one JSON object");
    verb->footer(check_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_check(*options); }; });
}

}  // namespace skiff_cli
