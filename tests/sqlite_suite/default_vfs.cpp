// Linked into SQLite's own testfixture (tools/torture sqlite-suite): makes Skiff's VFS the default
// one, unless SKIFF_SUITE_VFS=stock asks for SQLite's.
#include "vfs/registry.hpp"

#include <sqlite3.h>

#include <cstdlib>
#include <cstring>

/// SQLITE_EXTRA_INIT: SQLite calls it at the end of each sqlite3_initialize.
extern "C" int skiff_suite_init(const char*) {
    const char* wanted = std::getenv("SKIFF_SUITE_VFS");
    if (wanted != nullptr && std::strcmp(wanted, "stock") == 0) return SQLITE_OK;
    if (const int code = skiff::vfs::register_vfs()) return code;
    return sqlite3_vfs_register(sqlite3_vfs_find(skiff::vfs::vfs_name), 1);
}
