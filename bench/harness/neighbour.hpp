// A second process on the database of a row, with SQLite's own VFS: one that only has it open, or
// one that does what the row's own threads do.
#pragma once

#include "harness/process.hpp"
#include "workloads/throughput.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace skiff_bench {

struct neighbour_done {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    double seconds = 0;
};

class neighbour_process {
  public:
    /// Starts the row's neighbour, if it has one, and returns when that has the file open. Throws
    /// driver_error.
    neighbour_process(const throughput_row& row, const std::filesystem::path& database);
    /// Ends it, and tells what it did. Throws driver_error when it failed.
    neighbour_done finish();

  private:
    std::optional<child> process_;
};

/// What that process does; returns when its standard input ends.
int run_neighbour(const throughput_row& row, const std::filesystem::path& database);

}  // namespace skiff_bench
