// The same results for programs: nothing rounded, every sample kept.
#include "demo/summary.hpp"

#include <skiff/version.hpp>

#include <nlohmann/json.hpp>

#include <variant>

namespace skiff_cli {

namespace {

using json = nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds span) {
    return std::chrono::duration<double>(span).count();
}

json cell(const skiff::value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return nullptr;
}

json question(const answered_question& asked) {
    json rows = json::array();
    for (const auto& row : asked.rows) {
        json cells = json::array();
        for (const auto& value : row) cells.push_back(cell(value));
        rows.push_back(std::move(cells));
    }
    return {{"title", asked.title},
            {"sql", asked.sql},
            {"columns", asked.columns},
            {"rows", std::move(rows)},
            {"seconds", seconds(asked.took)}};
}

json figures(const spread& of) {
    return {{"median", of.median}, {"min", of.min}, {"max", of.max}};
}

json side(const std::vector<double>& samples) {
    json object = figures(spread_of(samples));
    object["rounds"] = samples;
    return object;
}

json input(const package_input& used) {
    json files = json::array();
    for (const auto& file : used.files) files.push_back(file.string());
    return {{"description", used.description}, {"files", std::move(files)}, {"notes", used.notes}};
}

json imported(const demo_results& results) {
    const auto& counts = results.imported.counts;
    return {{"packages", counts.packages},
            {"dependencies", results.imported.dependencies},
            {"duplicates", counts.duplicates},
            {"incomplete", counts.incomplete},
            {"bad_lines", counts.bad_lines},
            {"bad_dependencies", counts.bad_dependencies},
            {"threads", results.import_threads},
            {"batches", results.imported.batches},
            {"transactions", results.imported.commits},
            {"seconds", seconds(results.imported.took)},
            {"indexing_seconds", seconds(results.imported.indexing)}};
}

json measures(const demo_results& results) {
    json rows = json::array();
    for (const auto& row : results.measures) {
        rows.push_back({{"name", row.name},
                        {"unit", "rows per second"},
                        {"plain_c", side(row.plain_c)},
                        {"skiff", side(row.skiff)},
                        {"ratio", figures(row.ratio())}});
    }
    return rows;
}

}  // namespace

std::string as_json(const demo_results& results) {
    json questions = json::array();
    for (const auto& asked : results.questions) questions.push_back(question(asked));
    const json all = {
        {"skiff", skiff::library_version()},
        {"sqlite", skiff::sqlite_version()},
        {"machine",
         {{"file_system", results.where.file_system},
          {"durable_figures_count", durability_caveat(results.where).empty()},
          {"cores", results.where.cores},
          {"sync_seconds", seconds(results.where.sync)}}},
        {"input", input(results.input)},
        {"import", imported(results)},
        {"questions", std::move(questions)},
        {"rounds", results.measuring.rounds},
        {"writers", results.measuring.writers},
        {"measures", measures(results)},
        {"database", {{"path", results.database.string()}, {"bytes", results.database_bytes}}},
        {"seconds", seconds(results.took)}};
    return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace skiff_cli
