// The same table for people, spreadsheets and programs.
#include "report/table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace skiff_bench {

namespace {

/// Three digits, and a unit for thousands.
std::string rounded(double value) {
    const bool thousands = std::abs(value) >= 10'000;
    const double shown = thousands ? value / 1000 : value;
    const int digits = shown >= 100 ? 0 : shown >= 10 ? 1 : 2;
    return fmt::format("{:.{}f}{}", shown, digits, thousands ? " k" : "");
}

std::string ratio_text(const cell& of) {
    if (!of.ratio) return {};
    return fmt::format(" ({:.2f} ×, {:.2f} to {:.2f})", of.ratio->median, of.ratio->low,
                       of.ratio->high);
}

std::string text_of(const std::optional<cell>& of) {
    if (!of) return "–";
    const auto value = rounded(of->value.median);
    return (of->is_best ? "**" + value + "**" : value) + ratio_text(*of);
}

nlohmann::json json_of(const summary& one) {
    return {{"median", one.median}, {"low", one.low}, {"high", one.high}, {"n", one.samples}};
}

}  // namespace

std::string as_markdown(const result_table& table) {
    std::string text = "| row | metric |";
    for (const auto& name : table.drivers) text += " " + name + " |";
    text += "\n| --- | --- |";
    for (std::size_t at = 0; at < table.drivers.size(); ++at) text += " --- |";
    for (const auto& line : table.lines) {
        text += fmt::format("\n| {} | {}, {} |", line.row, line.metric, line.unit);
        for (const auto& each : line.cells) text += " " + text_of(each) + " |";
    }
    return text + "\n";
}

std::string as_csv(const result_table& table) {
    std::string text =
        "row,metric,unit,driver,median,low,high,ratio,ratio_low,ratio_high,samples\n";
    for (const auto& line : table.lines) {
        for (std::size_t at = 0; at < line.cells.size(); ++at) {
            const auto& each = line.cells[at];
            if (!each) continue;
            text += fmt::format("\"{}\",{},{},{},{},{},{},", line.row, line.metric, line.unit,
                                table.drivers[at], each->value.median, each->value.low,
                                each->value.high);
            if (each->ratio) {
                text += fmt::format("{},{},{}", each->ratio->median, each->ratio->low,
                                    each->ratio->high);
            } else {
                text += ",,";
            }
            text += fmt::format(",{}\n", each->value.samples);
        }
    }
    return text;
}

std::string as_json(const result_table& table) {
    auto lines = nlohmann::json::array();
    for (const auto& line : table.lines) {
        auto cells = nlohmann::json::object();
        for (std::size_t at = 0; at < line.cells.size(); ++at) {
            const auto& each = line.cells[at];
            if (!each) continue;
            auto& place = cells[table.drivers[at]];
            place = json_of(each->value);
            place["best"] = each->is_best;
            if (each->ratio) place["ratio"] = json_of(*each->ratio);
        }
        lines.push_back({{"row", line.row},
                         {"metric", line.metric},
                         {"unit", line.unit},
                         {"better", line.higher_is_better ? "higher" : "lower"},
                         {"drivers", cells}});
    }
    return nlohmann::json{{"base", table.base}, {"lines", lines}}.dump(2) + "\n";
}

}  // namespace skiff_bench
