// What a run consists of: units of work, each with the drivers that take turns at it.
#pragma once

#include "harness/runner.hpp"

#include <string>
#include <vector>

namespace skiff_bench {

/// Row of suite throughput in which processes start, work and end, one after the other.
constexpr const char* start_row = "open, read one row, close, in a fresh process";

struct planned_driver {
    std::string name;
    std::string program;  ///< that has the driver's build of SQLite
};

/// What one process does at a time.
struct work_unit {
    std::string suite;
    std::string name;               ///< for the progress line
    std::vector<std::string> rows;  ///< that it gives figures for
    std::vector<planned_driver> drivers;
};

struct run_plan {
    std::vector<work_unit> units;
    std::vector<std::string> notes;  ///< who is left out, and why
};

[[nodiscard]] const std::vector<std::string>& suite_names();
/// Throws std::invalid_argument for names of nothing.
[[nodiscard]] run_plan make_plan(const run_options& options);

}  // namespace skiff_bench
