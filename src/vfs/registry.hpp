// How the rooms above get the VFS: by its name.
#pragma once

#include "vfs/status.hpp"

namespace skiff::vfs {

/// The name to open databases with.
inline constexpr const char* vfs_name = "skiff";

/// File controls of ours (sqlite3_file_control). SQLite leaves numbers above 100 to others.
enum file_control : int {
    /// `int*`: 1 when the VFS checkpoints by itself, so that nobody else need do it.
    fcntl_checkpoints_itself = 0x534b0001,
    /// The VFS shall not checkpoint this database any more in this process.
    fcntl_stop_checkpointing = 0x534b0002,
    /// `vfs_status*`: see status.hpp.
    fcntl_status = 0x534b0003,
    /// Returns when all that the connection can see is on the disk.
    fcntl_wait_durable = 0x534b0004,
    /// `wal_observer*`: see wal_observer.hpp. The observer must end before the last connection.
    fcntl_begin_observing = 0x534b0005,
    fcntl_end_observing = 0x534b0006,
    /// `log_alarm_hook*`: of this connection, until it is closed.
    fcntl_set_log_alarm = 0x534b0007,
    /// One kernel lock shall not stand for all locks of this process any more.
    fcntl_forbid_alone = 0x534b0008,
    /// This connection shall read neither the database nor the log from a mapping.
    fcntl_forbid_maps = 0x534b0009,
};

/// Makes the VFS known to SQLite, once; an SQLite code. It needs SQLite's own "unix" VFS for all
/// that is no database or log. Thread-safe.
int register_vfs() noexcept;

}  // namespace skiff::vfs
