// The text: figures with three digits, since the fourth is noise.
#include "demo/summary.hpp"

#include "demo/text_table.hpp"
#include "terminal.hpp"

#include <skiff/version.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <variant>

namespace skiff_cli {

namespace {

double milliseconds(std::chrono::nanoseconds span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

std::string heading(std::string_view text) {
    return styled(text, style::bold, stream::output) + "\n";
}

std::string cell_text(const skiff::value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        return *number < 0 ? fmt::format("{}", *number)
                           : grouped(static_cast<std::uint64_t>(*number));
    }
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.1f}", *number);
    return std::holds_alternative<skiff::blob>(value) ? "(blob)" : "-";
}

bool is_number(const skiff::value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

std::string indented(std::string_view lines, std::string_view by) {
    std::string text;
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        text.append(by).append(lines.substr(0, end)).append("\n");
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
    return text;
}

/// 412,345 as 412,000 and 1.234 as 1.23.
std::string three_digits(double number) {
    if (number < 100) return fmt::format("{:.3g}", number);
    const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
    return grouped(static_cast<std::uint64_t>(std::llround(number / unit) * std::llround(unit)));
}

/// 412,345 as 412k.
std::string short_number(double number) {
    if (number >= 999'500) return fmt::format("{:.3g}M", number / 1e6);
    if (number >= 999.5) return fmt::format("{:.3g}k", number / 1e3);
    return fmt::format("{:.3g}", number);
}

std::string range_text(const spread& speed) {
    return fmt::format("{} to {}", short_number(speed.min), short_number(speed.max));
}

std::string ratio_text(double ratio) {
    return ratio >= 10     ? fmt::format("{:.0f} x", ratio)
           : ratio >= 1.05 ? fmt::format("{:.1f} x", ratio)
                           : fmt::format("{:.2f} x", ratio);
}

/// Said only where the figure alone could be misread.
std::string remark(const spread& ratio) {
    if (ratio.max < 1) return "slower";
    if (ratio.min <= 1) return "within noise";
    return "";
}

}  // namespace

std::string input_text(const demo_results& results) {
    std::string text = fmt::format("Input: {}\n", results.input.description);
    for (const auto& note : results.input.notes) text += fmt::format("  note: {}\n", note);
    return text;
}

std::string import_text(const demo_results& results) {
    const auto& [counts, dependencies, commits, batches, took, indexing] = results.imported;
    const double seconds = std::chrono::duration<double>(took).count();
    std::string text = fmt::format(
        "Stored {} packages, {} dependencies and {} searchable descriptions in {:.1f} s,\n"
        "  {} rows/s, from {} thread{} through one skiff::database, every commit synced to the "
        "disk\n"
        "  ({} batches in {} transactions); then made the indexes in {:.1f} s\n",
        grouped(counts.packages), grouped(dependencies), grouped(counts.packages), seconds,
        three_digits(static_cast<double>(counts.packages * 2 + dependencies) / seconds),
        results.import_threads, results.import_threads == 1 ? "" : "s", grouped(batches),
        grouped(commits), std::chrono::duration<double>(indexing).count());
    const auto passed_over = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) text += fmt::format("  passed over: {} {}\n", grouped(count), what);
    };
    passed_over(counts.duplicates, "packages listed twice");
    passed_over(counts.incomplete, "stanzas without name or version");
    passed_over(counts.bad_lines, "lines that make no sense");
    passed_over(counts.bad_dependencies, "dependencies that make no sense");
    return text;
}

std::string question_text(const answered_question& question) {
    std::vector<table_column> columns;
    for (std::size_t i = 0; i < question.columns.size(); ++i) {
        const bool number = !question.rows.empty() && is_number(question.rows.front()[i]);
        columns.push_back({question.columns[i], number ? alignment::right : alignment::left});
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : question.rows) {
        auto& cells = rows.emplace_back();
        for (const auto& value : row) cells.push_back(cell_text(value));
    }
    const auto answer =
        rows.empty() ? std::string("    (nothing)\n") : text_table(columns, rows, 4);
    return fmt::format("{}{}{}    {} ms\n", heading(question.title),
                       indented(styled(question.sql, style::plain, stream::output), "  | "), answer,
                       three_digits(milliseconds(question.took)));
}

std::string measures_text(const demo_results& results) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : results.measures) {
        const auto plain_c = spread_of(row.plain_c);
        const auto skiff = spread_of(row.skiff);
        const auto ratio = row.ratio();
        rows.push_back({row.name, three_digits(plain_c.median), range_text(plain_c),
                        three_digits(skiff.median), range_text(skiff), ratio_text(ratio.median),
                        remark(ratio)});
    }
    const auto right = alignment::right;
    std::string text = heading("Skiff beside the plain C API, rows a second, on the same SQLite");
    text += text_table({{"", alignment::left},
                        {"plain C", right},
                        {"min to max", right},
                        {"Skiff", right},
                        {"min to max", right},
                        {"ratio", right},
                        {"", alignment::left}},
                       rows, 2);
    text += fmt::format(
        "  Medians of {} rounds in turn; the ratio is the median of the rounds' own ratios.\n"
        "  Both gave the same answers first. Plain C: statements prepared once, one connection a\n"
        "  thread. Skiff: SQL text at each call, one database object. Both: WAL, "
        "synchronous=FULL,\n"
        "  SQLite's own cache size, the file mapped. Plain C is on SQLite's VFS, Skiff on its "
        "own.\n",
        results.measuring.rounds);
    text += fmt::format(
        "  SQLite {}, Skiff {}, {}, {} core{}; writing and syncing 4 KiB takes {:.2f} ms\n",
        skiff::sqlite_version(), skiff::library_version(), results.where.file_system,
        results.where.cores, results.where.cores == 1 ? "" : "s", milliseconds(results.where.sync));
    if (const auto caveat = durability_caveat(results.where); !caveat.empty()) {
        text += fmt::format("  {}\n", styled(caveat, style::yellow, stream::output));
    }
    return text;
}

std::string explore_text(const demo_results& results, const std::string& program) {
    return fmt::format(
        "The packages are in {} ({}). To explore it:\n"
        "  {} shell {}\n"
        "  skiff> select name, version, homepage from package where section = 'database' limit "
        "5;\n",
        results.database.string(), readable_bytes(results.database_bytes), program,
        results.database.string());
}

}  // namespace skiff_cli
