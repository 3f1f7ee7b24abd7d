// What others may learn of a log while it is written: replication implements it. Frames themselves
// are read from the file; only numbers are told here.
#pragma once

#include "vfs/sync_group.hpp"
#include "vfs/wal_format.hpp"

#include <cstdint>

namespace skiff::vfs {

/// A transaction of this process that is in the log now.
struct wal_commit {
    sync_group::ticket number = 0;  ///< rises by at least one with each commit of this process
    log_position last;              ///< the frame that ends it
    std::uint32_t first_frame = 0;  ///< frames between are all of this transaction
    int page_bytes = 0;
    std::uint32_t database_pages = 0;  ///< size of the database after it
};

/// Called by the threads that commit, one after another, so it must neither block nor use the
/// database. Transactions of other processes are not told: positions that do not follow each other
/// show that there were some.
class wal_observer {
  public:
    virtual ~wal_observer() = default;
    /// The frames are written; nobody has seen them yet, and they are not durable.
    virtual void committed(const wal_commit& commit) noexcept = 0;
    /// All commits up to this number are on the disk.
    virtual void durable(sync_group::ticket number) noexcept = 0;
    /// This process is about to write a new header: the log's frames are in the database, and go.
    virtual void log_restarts() noexcept = 0;
    /// Asked before the governor makes the log begin anew: false puts it off to its next attempt.
    [[nodiscard]] virtual bool may_restart() noexcept { return true; }
};

}  // namespace skiff::vfs
