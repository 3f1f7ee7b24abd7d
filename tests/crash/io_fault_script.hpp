// What programs do with a database while calls fail (T6, T8, T9): scripts over our VFS that note
// what they were told, and the checks afterwards, with SQLite's own VFS.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace skiff_test {

class raw_database;

/// What a script was told. Rows are numbered 1, 2, 3 …, one a transaction.
struct script_log {
    std::int64_t acknowledged = 0;  ///< the highest row whose commit succeeded
    std::vector<int> codes;         ///< of calls that failed, extended
    bool locks_may_fail = false;    ///< the fault may keep us from shutting others out
    /// A stock program could not write although nobody here did, or another break of a promise.
    std::vector<std::string> wrong;
};

/// Called when the faults shall end, before the connections are closed.
using end_of_faults = std::function<void()>;
using io_script = void (*)(const std::filesystem::path& path,
                           script_log& log,
                           const end_of_faults& end);

/// Creates, writes, checkpoints, closes, opens again and writes.
void life_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end);
/// Two connections write in turn, with a transaction that is larger than the cache and one that is
/// rolled back.
void turns_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end);
/// Opens what a killed process left, reads, writes and checkpoints.
void recover_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end);

/// A database whose process was killed: 6 rows were acknowledged, a seventh was being written.
void leave_by_kill(const std::filesystem::path& path);

/// Everything that is wrong afterwards; empty when all is well.
std::vector<std::string> faults_left(const std::filesystem::path& path, const script_log& log);
/// Deletes the database and all beside it.
void remove_database(const std::filesystem::path& path);

}  // namespace skiff_test
