// What the VFS did for one database in this process, as fcntl_status fills it in.
#pragma once

#include <cstdint>

namespace skiff::vfs {

struct vfs_status {
    bool is_alone = false;       ///< one kernel lock stands for all at the moment
    bool maps_database = false;  ///< pages are read from a mapping
    bool checkpoints = false;    ///< the governor is on
    int poisoned_by = 0;         ///< errno of the sync that failed, or 0
    std::uint64_t kernel_lock_calls = 0;
    std::uint64_t lock_requests = 0;  ///< of SQLite; most need no kernel call
    std::uint64_t alone_begun = 0;
    std::uint64_t longest_alone_us = 0;  ///< of the times that ended
    std::uint64_t writers_waited = 0;
    std::uint64_t pauses_for_others = 0;  ///< WRITE left free for writers of other processes
    std::uint64_t group_commits = 0;      ///< commits whose sync was put off until WRITE was free
    std::uint64_t group_syncs = 0;        ///< syncs that made them durable
    std::uint64_t checkpoint_runs = 0;
    std::uint64_t log_resets = 0;
    std::uint64_t checkpoints_held_back = 0;
    std::uint64_t longest_checkpoint_us = 0;
    std::uint64_t oldest_read_us = 0;  ///< at least, since somebody looked first
    std::int64_t log_bytes = 0;        ///< end of the newest commit of this process
};

/// A log that readers keep from being shortened.
struct held_back_log {
    const char* path = nullptr;  ///< of the database
    std::int64_t log_bytes = 0;
    std::uint64_t oldest_read_us = 0;
};

/// Called by the governor's thread, which must not use the database there. A null `call` is none.
struct log_alarm_hook {
    void (*call)(void* context, const held_back_log& found) noexcept = nullptr;
    void* context = nullptr;
};

}  // namespace skiff::vfs
