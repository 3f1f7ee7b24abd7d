// A driver that was named must be there; of the others those that are not are left out with a note.
#include "harness/plan.hpp"

#include "drivers/driver.hpp"
#include "drivers/engine_drivers.hpp"
#include "harness/programs.hpp"
#include "workloads/engine.hpp"
#include "workloads/throughput.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <stdexcept>

namespace skiff_bench {

namespace {

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& each) {
        return ::fnmatch(each.c_str(), name.c_str(), 0) == 0;
    });
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::ranges::find(list, word) != list.end();
}

std::vector<std::string> chosen_suites(const run_options& options) {
    for (const auto& name : options.suites) {
        if (!contains(suite_names(), name)) {
            throw std::invalid_argument("there is no suite '" + name + "': skiff-bench list");
        }
    }
    if (options.suites.empty()) return {"throughput"};
    return options.suites;
}

template <class Entries>
std::vector<planned_driver> chosen_drivers(const Entries& entries,
                                           const run_options& options,
                                           std::vector<std::string>& notes) {
    std::vector<planned_driver> chosen;
    for (const auto& each : entries) {
        const bool is_named = contains(options.drivers, each.name);
        if (!is_named && !options.drivers.empty()) continue;
        if (const auto program = program_with(each.engine)) {
            chosen.push_back({each.name, *program});
            continue;
        }
        const auto reason = "driver " + each.name + " needs the program skiff-bench-" +
                            each.engine + ", which was not built; type: tools/bench";
        if (is_named) throw std::invalid_argument(reason);
        if (!contains(notes, reason)) notes.push_back(reason);
    }
    return chosen;
}

/// The limit opens nothing, and takes no part in a file that two processes write.
std::vector<planned_driver> without_limit(std::vector<planned_driver> drivers) {
    std::erase_if(drivers, [](const planned_driver& each) { return each.name == "limit"; });
    return drivers;
}

void add_throughput(run_plan& plan, const run_options& options) {
    const auto drivers = chosen_drivers(all_drivers(), options, plan.notes);
    const auto is_wanted = [&](const std::string& name, bool is_main) {
        return options.rows.empty() ? is_main : matches(name, options.rows);
    };
    for (const auto& row : throughput_rows()) {
        if (!is_wanted(row.name, row.is_main)) continue;
        const bool is_shared = row.beside == neighbour::busy;
        plan.units.push_back({.suite = "throughput",
                              .name = row.name,
                              .rows = {row.name},
                              .drivers = is_shared ? without_limit(drivers) : drivers});
    }
    if (!is_wanted(start_row, true)) return;
    plan.units.push_back({.suite = "throughput",
                          .name = start_row,
                          .rows = {start_row},
                          .drivers = without_limit(drivers)});
}

/// All jobs run, since later ones need what earlier ones made; figures are kept of those wanted.
void add_engine(run_plan& plan, const run_options& options) {
    std::vector<std::string> rows;
    for (const auto& job : engine_jobs()) {
        if (options.rows.empty() || matches(job.name, options.rows)) rows.push_back(job.name);
    }
    if (rows.empty()) return;
    plan.units.push_back({.suite = "engine",
                          .name = "ten jobs of SQL",
                          .rows = std::move(rows),
                          .drivers = chosen_drivers(engine_drivers(), options, plan.notes)});
}

void check_driver_names(const run_options& options) {
    for (const auto& name : options.drivers) {
        if (find_driver(name) == nullptr && find_engine_driver(name) == nullptr) {
            throw std::invalid_argument("there is no driver '" + name + "': skiff-bench list");
        }
    }
}

}  // namespace

const std::vector<std::string>& suite_names() {
    static const std::vector<std::string> names{"throughput", "engine"};
    return names;
}

run_plan make_plan(const run_options& options) {
    check_driver_names(options);
    run_plan plan;
    for (const auto& suite : chosen_suites(options)) {
        if (suite == "throughput") add_throughput(plan, options);
        if (suite == "engine") add_engine(plan, options);
    }
    std::erase_if(plan.units, [](const work_unit& each) { return each.drivers.empty(); });
    if (plan.units.empty()) {
        throw std::invalid_argument(
            "no row of the suite has such a name and driver: "
            "skiff-bench list");
    }
    return plan;
}

}  // namespace skiff_bench
