// A small file beside a database, left when a sync of it failed: what the system has in memory may
// not be on the disk, and looks as if it were. Whoever opens the database next through this VFS
// looks at the disk first (rule B22). Other programs do not know of it.
#pragma once

#include "vfs/wal_format.hpp"

#include <string>

namespace skiff::vfs::sync_marker {

/// What the file is called: the database's name and this.
inline constexpr const char* suffix = "-unsynced";

/// Best effort: a disk that fails may refuse this file too, and then there is no marker.
/// `acknowledged` is the last commit whose sync succeeded.
void leave(const std::string& database_path, int error, const log_position& acknowledged) noexcept;

/// SQLITE_OK when there is no marker, or the disk has what was acknowledged: then memory and disk
/// are the same again and the marker is gone. SQLITE_IOERR_FSYNC when that cannot be known now (the
/// disk still fails, or others use the database), SQLITE_IOERR_DATA when acknowledged commits are
/// not there. `database_fd` must be the only descriptor of the file that this VFS has here.
[[nodiscard]] int settle(const char* database_path, int database_fd) noexcept;

}  // namespace skiff::vfs::sync_marker
