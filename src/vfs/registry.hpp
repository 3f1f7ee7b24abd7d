// How the rooms above get the VFS: by its name.
#pragma once

namespace skiff::vfs {

/// The name to open databases with.
inline constexpr const char* vfs_name = "skiff";

/// Makes the VFS known to SQLite, once; an SQLite code. It needs SQLite's own "unix" VFS for all
/// that is no database or log. Thread-safe.
int register_vfs() noexcept;

}  // namespace skiff::vfs
