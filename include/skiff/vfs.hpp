// Skiff's VFS for programs that use SQLite's C interface, or another library over it.
#pragma once

#include <skiff/error.hpp>

namespace skiff {

/// The name by which sqlite3_open_v2() finds Skiff's VFS, once it is registered.
inline constexpr const char* vfs_name = "skiff";

/// Whether connections that name no VFS get Skiff's.
enum class vfs_default { no, yes };

/// Makes the VFS known to the SQLite that Skiff is linked to. Connections of Skiff's do that by
/// themselves. Any number of times; thread-safe. Throws what SQLite reports.
void register_vfs(vfs_default as_default = vfs_default::no);

}  // namespace skiff
