// Programs that do all that takes locks on one database at the same time, some over our VFS and
// some over SQLite's own (T10). Each transfer keeps a sum and adds a numbered row of its client, so
// that torn, lost and doubled transactions show.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace skiff_test {

struct torture_plan {
    std::filesystem::path path;
    std::string vfs;  ///< "skiff" or "unix"
    int process = 0;  ///< its clients are numbered 100 * process + thread
    int threads = 3;
    std::uint64_t seed = 0;
    std::chrono::steady_clock::time_point until;
    bool changes_modes = true;  ///< of the journal and of locking
    unsigned delays = 0;        ///< seed of delays at our system calls and points, 0: none (T11)
};

/// The tables; in WAL mode.
void make_torture_tables(const std::filesystem::path& path);
/// Runs to the end; faults, one a line.
std::string torture(const torture_plan& plan);
/// A program for Python's sqlite3, an old SQLite: reads and writes, and never checkpoints, since
/// releases before 3.51.3 can lose pages then. Arguments: path, client, milliseconds, seed.
extern const char* const python_client;
/// What is wrong at the end; empty when nothing is.
std::string torture_verdict(const std::filesystem::path& path);

}  // namespace skiff_test
