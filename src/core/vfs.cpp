// Registration for programs that open connections with SQLite's own calls.
#include "core/error_map.hpp"
#include "core/processor.hpp"
#include "vfs/registry.hpp"

#include <skiff/vfs.hpp>

#include <sqlite3.h>

namespace skiff {

void register_vfs(vfs_default as_default) {
    detail::check_processor();
    int code = vfs::register_vfs();
    if (code == SQLITE_OK && as_default == vfs_default::yes) {
        code = sqlite3_vfs_register(sqlite3_vfs_find(vfs_name), 1);
    }
    if (code != SQLITE_OK) detail::throw_object_error(nullptr, code, "register", vfs_name);
}

}  // namespace skiff
