// A ratio is taken between samples of one round, which ran within moments of each other, and only
// then summarised: what the machine did meanwhile hits both alike.
#include "report/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace skiff_bench {

namespace {

/// By driver, then by file and round.
using rounds = std::map<std::pair<std::size_t, int>, double>;

struct group {
    std::string suite;
    table_line line;
    std::map<std::string, rounds> of_driver;
};

template <class List, class Value>
std::size_t place_of(List& list, const Value& value) {
    const auto found = std::ranges::find(list, value);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    list.push_back(value);
    return list.size() - 1;
}

group& group_of(std::vector<group>& groups, const sample& one) {
    const auto found = std::ranges::find_if(groups, [&](const group& each) {
        return each.line.row == one.row && each.line.metric == one.metric;
    });
    if (found != groups.end()) return *found;
    return groups.emplace_back(group{.suite = one.suite,
                                     .line = {.row = one.row,
                                              .metric = one.metric,
                                              .unit = one.unit,
                                              .higher_is_better = one.higher_is_better,
                                              .cells = {}},
                                     .of_driver = {}});
}

/// Suites whose rows are parts of one whole: a geometric mean of them says something.
bool has_mean(const std::string& suite) {
    return suite == "engine";
}

/// Rounds in which a driver has all rows, with the geometric mean of them.
rounds means_of(const std::vector<const group*>& rows, const std::string& driver) {
    std::map<std::pair<std::size_t, int>, std::vector<double>> logarithms;
    for (const auto* each : rows) {
        const auto found = each->of_driver.find(driver);
        if (found == each->of_driver.end()) return {};
        for (const auto& [round, value] : found->second) {
            logarithms[round].push_back(std::log(value));
        }
    }
    rounds means;
    for (const auto& [round, each] : logarithms) {
        if (each.size() != rows.size()) continue;
        const double sum = std::accumulate(each.begin(), each.end(), 0.0);
        means[round] = std::exp(sum / static_cast<double>(each.size()));
    }
    return means;
}

/// A line below the others for each metric.
void add_means(std::vector<group>& groups, const std::vector<std::string>& drivers) {
    std::map<std::string, std::vector<const group*>> by_metric;
    for (const auto& each : groups) {
        if (has_mean(each.suite)) by_metric[each.line.metric].push_back(&each);
    }
    std::vector<group> made;
    for (const auto& [metric, rows] : by_metric) {
        if (rows.size() < 2) continue;
        group mean{.suite = rows[0]->suite, .line = rows[0]->line, .of_driver = {}};
        mean.line.row = "geometric mean";
        for (const auto& name : drivers) {
            if (auto means = means_of(rows, name); !means.empty()) mean.of_driver[name] = means;
        }
        made.push_back(std::move(mean));
    }
    for (auto& each : made) groups.push_back(std::move(each));
}

std::vector<double> values_of(const rounds& samples) {
    std::vector<double> values;
    for (const auto& [round, value] : samples) values.push_back(value);
    return values;
}

std::optional<summary> ratio_of(const rounds& mine, const rounds& base, bool higher_is_better) {
    std::vector<double> ratios;
    for (const auto& [round, value] : mine) {
        const auto other = base.find(round);
        if (other == base.end() || value <= 0 || other->second <= 0) continue;
        ratios.push_back(higher_is_better ? value / other->second : other->second / value);
    }
    if (ratios.empty()) return std::nullopt;
    return summarize(std::move(ratios));
}

/// The best is marked only when its interval is apart from all others'. What is no peer, the
/// limit, is left out.
void mark_best(table_line& line, const std::vector<std::string>& drivers) {
    cell* best = nullptr;
    const auto is_better = [&](const cell& one, const cell& other) {
        return line.higher_is_better ? one.value.median > other.value.median
                                     : one.value.median < other.value.median;
    };
    for (std::size_t at = 0; at < line.cells.size(); ++at) {
        auto& each = line.cells[at];
        if (!each || drivers[at] == "limit") continue;
        if (best == nullptr || is_better(*each, *best)) best = &*each;
    }
    if (best == nullptr) return;
    best->is_best = true;
    for (std::size_t at = 0; at < line.cells.size(); ++at) {
        const auto& each = line.cells[at];
        if (!each || &*each == best || drivers[at] == "limit") continue;
        if (!are_apart(each->value, best->value)) best->is_best = false;
    }
}

}  // namespace

result_table make_table(const std::vector<sample_file>& files, const table_options& options) {
    result_table table{.drivers = {}, .base = options.base, .lines = {}};
    std::vector<group> groups;
    for (std::size_t file = 0; file < files.size(); ++file) {
        for (const auto& one : files[file].samples) {
            if (options.rates_only && one.unit == "us") continue;
            place_of(table.drivers, one.driver);
            group_of(groups, one).of_driver[one.driver][{file, one.round}] = one.value;
        }
    }
    add_means(groups, table.drivers);
    for (auto& each : groups) {
        for (const auto& name : table.drivers) {
            auto& place = each.line.cells.emplace_back();
            const auto mine = each.of_driver.find(name);
            if (mine == each.of_driver.end()) continue;
            place = cell{.value = summarize(values_of(mine->second)), .ratio = {}};
            const auto base = each.of_driver.find(options.base);
            if (base == each.of_driver.end() || name == options.base) continue;
            place->ratio = ratio_of(mine->second, base->second, each.line.higher_is_better);
        }
        mark_best(each.line, table.drivers);
        table.lines.push_back(std::move(each.line));
    }
    return table;
}

}  // namespace skiff_bench
