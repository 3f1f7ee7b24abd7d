// A run: every driver in every row once a round, each time in a fresh process on a fresh file, each
// round beginning with the next driver.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace skiff_bench {

struct run_options {
    std::vector<std::string> suites;   ///< names; empty: throughput
    std::vector<std::string> rows;     ///< patterns as of a shell; empty: the main ones
    std::vector<std::string> drivers;  ///< names; empty: all that were built
    int rounds = 6;
    double seconds = 2;
    bool quick = false;
    bool resume = false;       ///< continue the file, leaving out what it has
    bool allow_tmpfs = false;  ///< durable rows in memory, which prove nothing
    long sync_delay_us = 0;    ///< added to each sync, as of a slower disk
    std::filesystem::path folder = ".";
    std::filesystem::path output = "bench.jsonl";
};

/// Returns false when Ctrl-C ended it; what was measured is in the file. Throws
/// std::invalid_argument for options that name nothing, and std::runtime_error when a driver
/// fails or answers otherwise than the others.
bool run_benchmarks(const run_options& options);

}  // namespace skiff_bench
