// What all connections of this process to one database file share: the wal-index, the log, the turn
// to write, the mapping of the file. Found by device and inode number.
#pragma once

#include "base/mutex.hpp"
#include "vfs/file_map.hpp"
#include "vfs/governor.hpp"
#include "vfs/mutant.hpp"
#include "vfs/observation.hpp"
#include "vfs/os.hpp"
#include "vfs/process.hpp"
#include "vfs/process_turns.hpp"
#include "vfs/sync_group.hpp"
#include "vfs/wal_index.hpp"
#include "vfs/write_turn.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace skiff::vfs {

/// The log of a database while any connection of this process has it open. Thread-safe.
struct wal_log {
    wal_log(os::file_id file, std::string name) : id(file), path(std::move(name)) {}
    ~wal_log() { os::close_file(fd.load()); }

    /// Opens the descriptor and maps the file, once: a process that only looks at a database whose
    /// log is empty needs neither. False when it cannot be had.
    bool prepare() noexcept SKIFF_EXCLUDES(preparing);
    [[nodiscard]] bool is_prepared() const noexcept {
        return fd.load(std::memory_order_acquire) >= 0;
    }

    const os::file_id id;
    const std::string path;
    mutex preparing;
    /// Of its own, from before the first write until the last connection ends (rule B9).
    std::atomic<int> fd{-1};
    file_map map;
    sync_group syncs;
    std::atomic<bool> directory_synced{false};
    /// So much of the file is known to have its place on the disk; changed by whoever has WRITE.
    std::atomic<std::int64_t> reserved_bytes{0};
    wal_salt reserved_for{};                       ///< of that log; only whoever has WRITE looks
    std::atomic<std::uint64_t> group_commits{0};   ///< whose sync was put off until WRITE was free
    std::atomic<std::int64_t> committed_bytes{0};  ///< end of the newest commit written here
};

/// Thread-safe.
class inode {
  public:
    inode(os::file_id id, std::string path, bool may_be_alone)
        : checkpoints(path, observers),
          id_(id),
          path_(std::move(path)),
          may_be_alone_(may_be_alone) {}

    /// The one for the open database file, made when there is none. Null without
    /// memory, and when the file cannot be told apart.
    static std::shared_ptr<inode> find_or_make(int fd,
                                               const char* path,
                                               bool may_be_alone) noexcept;

    /// The wal-index, opened when it is not. Null with a code.
    std::shared_ptr<wal_index> attach_index(int database_fd, int& code) noexcept
        SKIFF_EXCLUDES(mutex_);
    /// Gives a reference back; the last one may delete the file.
    void detach_index(std::shared_ptr<wal_index>& held, bool delete_file) noexcept
        SKIFF_EXCLUDES(mutex_);
    /// The log's shared part; null when the open file is not the one that others here have open.
    std::shared_ptr<wal_log> attach_log(int log_fd, const char* log_path) noexcept
        SKIFF_EXCLUDES(mutex_);

    /// False in a child after fork.
    [[nodiscard]] bool is_ours() const noexcept {
        return generation_ == process::generation() || is_seeded(mutant::s14_child_is_not_refused);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] os::file_id id() const noexcept { return id_; }

    /// Counts open files that are not the governor's own. The last one ends the governor first.
    void add_user() noexcept { users_.fetch_add(1); }
    void remove_user() noexcept {
        if (users_.fetch_sub(1) == 1) checkpoints.stop();
    }
    [[nodiscard]] int users() const noexcept { return users_.load(); }

    /// No alone mode from now on.
    void forbid_alone() noexcept SKIFF_EXCLUDES(mutex_);
    /// Leaves the marker of a failed sync beside the database, once.
    void mark_unsynced(wal_log& log) noexcept;

    observation observers;
    governor checkpoints;
    write_turn turn;
    process_turns among_processes;
    file_map pages;  ///< the database file
    mutex pages_guard;

  private:
    const os::file_id id_;
    const std::string path_;
    const std::uint64_t generation_ = process::generation();
    std::atomic<int> users_{0};
    std::atomic<bool> is_marked_{false};
    mutex mutex_;
    bool may_be_alone_ SKIFF_GUARDED_BY(mutex_);
    std::weak_ptr<wal_index> index_ SKIFF_GUARDED_BY(mutex_);
    std::weak_ptr<wal_log> log_ SKIFF_GUARDED_BY(mutex_);
};

}  // namespace skiff::vfs
