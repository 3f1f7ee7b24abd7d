// The sqlite3_vfs: database files and their logs are ours; journals, temporary files, databases
// that cannot be ours (not writable, on network file systems) and everything about paths are
// SQLite's own.
#include "vfs/io_methods.hpp"
#include "vfs/main_file.hpp"
#include "vfs/open_names.hpp"
#include "vfs/registry.hpp"
#include "vfs/sync_marker.hpp"
#include "vfs/wal_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <string>

namespace skiff::vfs {

namespace {

/// sqlite3.c, SQLITE_DEFAULT_FILE_PERMISSIONS.
constexpr unsigned new_file_mode = 0644;

sqlite3_vfs* stock = nullptr;

/// Whether the name's parameters ask for something that only SQLite's own VFS does. Other names
/// have none, and perhaps not the zeros that end them.
bool asks_for_stock(sqlite3_filename name, int flags) noexcept {
    if ((flags & SQLITE_OPEN_URI) == 0) return false;
    return sqlite3_uri_boolean(name, "nolock", 0) != 0 ||
           sqlite3_uri_boolean(name, "immutable", 0) != 0 ||
           sqlite3_uri_boolean(name, "readonly_shm", 0) != 0 ||
           sqlite3_uri_parameter(name, "modeof") != nullptr ||
           sqlite3_uri_boolean(name, "psow", 1) == 0;
}

/// Whether the wal-index can only be read: the database as well then, which SQLite's own VFS knows.
bool has_fixed_index(const char* name) noexcept try {
    return os::may_not_be_written((std::string(name) + "-shm").c_str());
} catch (const std::bad_alloc&) {
    return false;
}

/// Whether a file could not be opened for a reason that may be gone in a moment, as descriptors
/// that are used up. SQLite's own VFS could succeed then, and would have its locks beside ours on
/// one file (rule A12), or a log whose failed syncs nobody here learns of (rule B18).
bool may_pass(int error) noexcept {
    switch (error) {
        case 0:
        case EACCES:
        case EEXIST:
        case EISDIR:
        case ELOOP:
        case ENOENT:
        case ENOTDIR:
        case EPERM:
        case EROFS:
            return false;
        default:
            return true;
    }
}

/// Opens what we can serve well; no descriptor for what SQLite's own VFS shall have, errors that
/// stay included.
os::open_result open_database(const char* name, int flags) noexcept {
    constexpr os::open_result stocks{};
    const bool writes = (flags & SQLITE_OPEN_READWRITE) != 0;
    // Rule A12: one owner of locks for a file. SQLite's own VFS has locks of the process, which any
    // close of the file drops, so that read-only connections must be ours wherever writing ones may
    // be. A file that cannot be written has none, and SQLite knows how to read its log.
    if (asks_for_stock(name, flags) || has_fixed_index(name)) return stocks;
    if (!writes && !os::may_write(name)) return stocks;
    if (!os::is_on_known_file_system(name)) return stocks;
    if (!writes) return os::open_file(name, O_RDONLY, 0);
    const int creates = (flags & SQLITE_OPEN_CREATE) != 0 ? O_CREAT : 0;
    const int alone = (flags & SQLITE_OPEN_EXCLUSIVE) != 0 ? O_EXCL : 0;
    return os::open_file(name, O_RDWR | creates | alone, new_file_mode);
}

int open_main(const char* name, sqlite3_file* file, int flags, int* flags_out) noexcept {
    const auto [fd, error] = open_database(name, flags);
    if (may_pass(error)) return SQLITE_CANTOPEN;
    if (fd < 0) return stock->xOpen(stock, name, file, flags, flags_out);
    if (os::id_of(fd) == os::file_id{}) {  // all such files would be one
        os::close_file(fd);
        return SQLITE_IOERR_FSTAT;
    }
    const bool has_parameters = (flags & SQLITE_OPEN_URI) != 0;
    const bool may_be_alone = !has_parameters || sqlite3_uri_boolean(name, "skiff_alone", 1) != 0;
    auto shared = inode::find_or_make(fd, name, may_be_alone);
    try {
        if (!shared) throw std::bad_alloc();
        if (shared->users() == 0) {
            if (const int code = sync_marker::settle(name, fd)) {
                os::close_file(fd);
                return code;
            }
        }
        auto* made = new (file) main_file(fd, std::move(shared), name, name);
        const bool maps = !has_parameters || sqlite3_uri_boolean(name, "skiff_map", 1) != 0;
        if (!maps) made->control(fcntl_forbid_maps, nullptr);
        made->base.pMethods = main_methods();
    } catch (const std::bad_alloc&) {
        os::close_file(fd);
        return SQLITE_NOMEM;
    }
    if (flags_out != nullptr) *flags_out = flags;
    return SQLITE_OK;
}

int open_wal(const char* name, sqlite3_file* file, int flags, int* flags_out) noexcept {
    // Asked for a name that SQLite did not make, it would follow a wild pointer.
    sqlite3_file* database = open_name::is_known(sqlite3_filename_database(name))
                                 ? sqlite3_database_file_object(name)
                                 : nullptr;
    if (database == nullptr || database->pMethods != main_methods()) {
        return stock->xOpen(stock, name, file, flags, flags_out);
    }
    auto& main = *reinterpret_cast<main_file*>(database);
    if (!main.is_ours()) return SQLITE_IOERR;
    const auto opened = os::open_file(name, O_RDWR | O_CREAT, main.mode());
    if (may_pass(opened.error)) return SQLITE_CANTOPEN;
    // SQLite's own VFS knows what can be had without the right to write.
    if (opened.fd < 0) return stock->xOpen(stock, name, file, flags, flags_out);
    main.give_owner_of(opened.fd);
    auto log = main.shared().attach_log(opened.fd, name);
    if (!log) {
        // Somebody replaced a log that is in use here, or there is no memory. A log that shares
        // nothing would go on after a sync that failed elsewhere (rule B18).
        os::close_file(opened.fd);
        return SQLITE_CANTOPEN;
    }
    try {
        auto* made = new (file) wal_file(main, opened.fd, name, std::move(log));
        made->base.pMethods = wal_methods();
        main.set_wal(made);
    } catch (const std::bad_alloc&) {
        os::close_file(opened.fd);
        return SQLITE_NOMEM;
    }
    if (flags_out != nullptr) *flags_out = flags;
    return SQLITE_OK;
}

int open_any(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
    file->pMethods = nullptr;
    if (name != nullptr && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
        return open_main(name, file, flags, flags_out);
    }
    if (name != nullptr && (flags & SQLITE_OPEN_WAL) != 0) {
        return open_wal(name, file, flags, flags_out);
    }
    return stock->xOpen(stock, name, file, flags, flags_out);
}

}  // namespace

int register_vfs() noexcept {
    static const int code = [] {
        stock = sqlite3_vfs_find("unix");
        if (stock == nullptr) return SQLITE_ERROR;
        process::watch_forks();
        static sqlite3_vfs ours = *stock;
        ours.zName = vfs_name;
        ours.pNext = nullptr;
        ours.szOsFile = std::max({stock->szOsFile, static_cast<int>(sizeof(main_file)),
                                  static_cast<int>(sizeof(wal_file))});
        ours.xOpen = open_any;
        return sqlite3_vfs_register(&ours, 0);
    }();
    return code;
}

}  // namespace skiff::vfs
