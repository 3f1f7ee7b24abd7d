// From SQLite's C functions to our objects. Each refuses in a child after fork (rule A11).
#include "vfs/io_methods.hpp"

#include "vfs/main_file.hpp"
#include "vfs/wal_file.hpp"

namespace skiff::vfs {

namespace {

/// What every call gets in a forked child: the locks are the parent's.
constexpr int refused_after_fork = SQLITE_IOERR;

main_file& main_of(sqlite3_file* file) noexcept {
    return *reinterpret_cast<main_file*>(file);
}
wal_file& wal_of(sqlite3_file* file) noexcept {
    return *reinterpret_cast<wal_file*>(file);
}

template <class Call>
int on_main(sqlite3_file* file, Call&& call) noexcept {
    auto& main = main_of(file);
    if (!main.is_ours()) [[unlikely]]
        return refused_after_fork;
    return call(main);
}

template <class Call>
int on_wal(sqlite3_file* file, Call&& call) noexcept {
    auto& wal = wal_of(file);
    if (!wal.is_ours()) [[unlikely]]
        return refused_after_fork;
    return call(wal);
}

int close_main(sqlite3_file* file) {
    auto& main = main_of(file);
    if (main.is_ours()) {
        main.~main_file();
    } else {
        main.abandon();
    }
    file->pMethods = nullptr;
    return SQLITE_OK;
}

int close_wal(sqlite3_file* file) {
    auto& wal = wal_of(file);
    int code = SQLITE_OK;
    if (wal.is_ours()) {
        code = wal.close();
        wal.~wal_file();
    }
    file->pMethods = nullptr;
    return code;
}

constexpr int sector_bytes = 4096;  // sqlite3.c, SQLITE_DEFAULT_SECTOR_SIZE

constexpr sqlite3_io_methods of_main{
    .iVersion = 3,
    .xClose = close_main,
    .xRead =
        [](sqlite3_file* file, void* target, int bytes, sqlite3_int64 offset) {
            return on_main(file, [&](auto& main) { return main.read(target, bytes, offset); });
        },
    .xWrite =
        [](sqlite3_file* file, const void* source, int bytes, sqlite3_int64 offset) {
            return on_main(file, [&](auto& main) { return main.write(source, bytes, offset); });
        },
    .xTruncate =
        [](sqlite3_file* file, sqlite3_int64 bytes) {
            return on_main(file, [&](auto& main) { return main.truncate(bytes); });
        },
    .xSync = [](sqlite3_file* file,
                int) { return on_main(file, [](auto& main) { return main.sync(); }); },
    .xFileSize =
        [](sqlite3_file* file, sqlite3_int64* bytes) {
            return on_main(file, [&](auto& main) {
                std::int64_t found = 0;
                const int code = main.size(found);
                *bytes = found;
                return code;
            });
        },
    .xLock = [](sqlite3_file* file,
                int level) { return on_main(file, [&](auto& main) { return main.lock(level); }); },
    .xUnlock =
        [](sqlite3_file* file, int level) {
            return on_main(file, [&](auto& main) { return main.unlock(level); });
        },
    .xCheckReservedLock =
        [](sqlite3_file* file, int* held) {
            return on_main(file, [&](auto& main) { return main.check_reserved(*held); });
        },
    .xFileControl =
        [](sqlite3_file* file, int operation, void* argument) {
            return on_main(file, [&](auto& main) { return main.control(operation, argument); });
        },
    .xSectorSize = [](sqlite3_file*) { return sector_bytes; },
    .xDeviceCharacteristics = [](sqlite3_file* file) { return main_of(file).characteristics(); },
    .xShmMap =
        [](sqlite3_file* file, int region, int bytes, int extend, void volatile** mapped) {
            return on_main(file, [&](auto& main) {
                return main.map_index(region, bytes, extend != 0, mapped);
            });
        },
    .xShmLock =
        [](sqlite3_file* file, int first, int count, int flags) {
            return on_main(file, [&](auto& main) { return main.lock_index(first, count, flags); });
        },
    .xShmBarrier =
        [](sqlite3_file* file) {
            if (main_of(file).is_ours()) main_of(file).index_barrier();
        },
    .xShmUnmap =
        [](sqlite3_file* file, int delete_file) {
            return on_main(file, [&](auto& main) { return main.unmap_index(delete_file != 0); });
        },
    .xFetch =
        [](sqlite3_file* file, sqlite3_int64 offset, int bytes, void** page) {
            return on_main(file, [&](auto& main) { return main.fetch(offset, bytes, page); });
        },
    .xUnfetch = [](sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; },
};

constexpr sqlite3_io_methods of_wal{
    .iVersion = 1,
    .xClose = close_wal,
    .xRead =
        [](sqlite3_file* file, void* target, int bytes, sqlite3_int64 offset) {
            return on_wal(file, [&](auto& wal) { return wal.read(target, bytes, offset); });
        },
    .xWrite =
        [](sqlite3_file* file, const void* source, int bytes, sqlite3_int64 offset) {
            return on_wal(file, [&](auto& wal) { return wal.write(source, bytes, offset); });
        },
    .xTruncate =
        [](sqlite3_file* file, sqlite3_int64 bytes) {
            return on_wal(file, [&](auto& wal) { return wal.truncate(bytes); });
        },
    .xSync = [](sqlite3_file* file,
                int) { return on_wal(file, [](auto& wal) { return wal.sync(); }); },
    .xFileSize =
        [](sqlite3_file* file, sqlite3_int64* bytes) {
            return on_wal(file, [&](auto& wal) {
                std::int64_t found = 0;
                const int code = wal.size(found);
                *bytes = found;
                return code;
            });
        },
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* held) {
            *held = 0;
            return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return sector_bytes; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; },
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

}  // namespace

const sqlite3_io_methods* main_methods() noexcept {
    return &of_main;
}

const sqlite3_io_methods* wal_methods() noexcept {
    return &of_wal;
}

}  // namespace skiff::vfs
