// What SQLite calls when a program loads the extension. Everything that the host lacks is found out
// here, before anything is registered: a refusal leaves the host as it was.
#include "extension/host.hpp"
#include "extension/status_table.hpp"
#include "vfs/registry.hpp"

#include <cstdlib>
#include <string_view>

const sqlite3_api_routines* sqlite3_api = nullptr;

namespace skiff::extension {

namespace {

/// The oldest that is tested, and that has all calls made here: Debian 12's.
constexpr int oldest_host = 3040000;

bool is_registered = false;  ///< under SQLite's own rule: extensions are loaded one at a time

bool wants_default() noexcept {
    const char* value = std::getenv("SKIFF_VFS_DEFAULT");  // NOLINT(concurrency-mt-unsafe)
    return value != nullptr && std::string_view(value) == "1";
}

/// Why this host cannot have the VFS; null when it can.
const char* misfit(const sqlite3_api_routines& host) noexcept {
    if (sqlite3_api != nullptr && sqlite3_api != &host) {
        return "skiff: another copy of SQLite in this process has loaded the extension already";
    }
    if (host.libversion_number() < oldest_host) return "skiff: needs SQLite 3.40 or later";
    if (host.xthreadsafe() == 0) return "skiff: the host's SQLite was built without threads";
    if (host.compileoption_used("OMIT_WAL") != 0) {
        return "skiff: the host's SQLite was built without WAL";
    }
    if (!is_registered && host.vfs_find(vfs::vfs_name) != nullptr) {
        return "skiff: there is a VFS named skiff already, as in a program that is linked with "
               "Skiff";
    }
    return nullptr;
}

int load(sqlite3* db, char** message, const sqlite3_api_routines* host, bool is_default) noexcept {
    if (const char* reason = misfit(*host)) {
        if (message != nullptr) *message = host->mprintf("%s", reason);
        return SQLITE_ERROR;
    }
    sqlite3_api = host;
    if (const int code = vfs::register_vfs()) return code;
    is_registered = true;
    if (is_default) sqlite3_vfs_register(sqlite3_vfs_find(vfs::vfs_name), 1);
    if (const int code = create_status_table(db)) return code;
    // Threads and locks of files that are open outlive this connection.
    return SQLITE_OK_LOAD_PERMANENTLY;
}

}  // namespace

}  // namespace skiff::extension

#define SKIFF_EXPORT extern "C" __attribute__((visibility("default")))

/// The entry point by SQLite's rule for the name libskiff_vfs.so: the VFS can be had by its name,
/// and is the default when SKIFF_VFS_DEFAULT is 1 in the environment.
SKIFF_EXPORT int sqlite3_skiffvfs_init(sqlite3* db,
                                       char** message,
                                       const sqlite3_api_routines* host) noexcept {
    return skiff::extension::load(db, message, host, skiff::extension::wants_default());
}

/// For `select load_extension('…/libskiff_vfs', 'sqlite3_skiffvfs_default_init')`: the VFS of every
/// database that is opened from now on.
SKIFF_EXPORT int sqlite3_skiffvfs_default_init(sqlite3* db,
                                               char** message,
                                               const sqlite3_api_routines* host) noexcept {
    return skiff::extension::load(db, message, host, true);
}
