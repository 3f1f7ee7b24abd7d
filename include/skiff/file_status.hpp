// What Skiff's file layer (its SQLite VFS) does for a database in this process.
#pragma once

#include <chrono>
#include <cstdint>

namespace skiff {

/// Figures since this process opened the database, of all its connections together.
struct file_status {
    bool is_alone = false;       ///< no other program has the file open: locks cost no system call
    bool maps_database = false;  ///< pages are read from a memory mapping
    bool checkpoints_itself = false;             ///< a background thread keeps the log short
    int poisoned_by = 0;                         ///< errno of a sync that failed; 0: none did
    std::uint64_t lock_requests = 0;             ///< of SQLite, for locks of the log
    std::uint64_t kernel_lock_calls = 0;         ///< system calls they took
    std::uint64_t alone_begun = 0;               ///< how often the process was found alone
    std::chrono::microseconds longest_alone{0};  ///< until another program came or nothing was done
    std::uint64_t writers_waited = 0;            ///< for another connection's write transaction
    std::uint64_t group_commits = 0;          ///< commits made durable by a sync shared with others
    std::uint64_t group_syncs = 0;            ///< those syncs
    std::uint64_t checkpoints = 0;            ///< runs of the background thread
    std::uint64_t log_resets = 0;             ///< after which the log began anew
    std::uint64_t checkpoints_held_back = 0;  ///< by readers or writers in the way
    std::chrono::microseconds longest_checkpoint{0};
    /// How long the oldest read of this process has been open, at least: since the first look at
    /// it.
    std::chrono::microseconds oldest_read{0};
    std::int64_t log_bytes = 0;  ///< length of the log up to this process's newest commit
};

}  // namespace skiff
