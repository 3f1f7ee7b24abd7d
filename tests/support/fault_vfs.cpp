// Every method asks `failure_of_call` first and then calls the real file's method.
#include "support/fault_vfs.hpp"

#include <sqlite3.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace skiff_test {

namespace {

constexpr const char* vfs_name = "skiff_fault";

struct shared_state {
    std::mutex guard;
    bool active = false;
    fault wanted;
    int calls = 0;
    bool fired = false;
    std::map<std::pair<io_call, std::string>, int> counts;  // by call and file name
};

shared_state& state() {
    static shared_state the_one;
    return the_one;
}

int usual_code(io_call call) noexcept {
    switch (call) {
        case io_call::open:
            return SQLITE_CANTOPEN;
        case io_call::access:
            return SQLITE_IOERR_ACCESS;
        case io_call::remove:
            return SQLITE_IOERR_DELETE;
        case io_call::read:
            return SQLITE_IOERR_READ;
        case io_call::write:
            return SQLITE_IOERR_WRITE;
        case io_call::truncate:
            return SQLITE_IOERR_TRUNCATE;
        case io_call::sync:
            return SQLITE_IOERR_FSYNC;
        case io_call::size:
            return SQLITE_IOERR_FSTAT;
        case io_call::lock:
            return SQLITE_IOERR_LOCK;
        case io_call::shm_map:
            return SQLITE_IOERR_SHMMAP;
        case io_call::any:
            break;
    }
    return SQLITE_IOERR;
}

/// SQLITE_OK, or the code with which this call is to fail.
int failure_of_call(io_call call, const char* name) {
    const std::string file = name != nullptr ? name : "";
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    ++shared.counts[{call, file}];
    if (!shared.active) return SQLITE_OK;
    const auto& wanted = shared.wanted;
    if (wanted.call != io_call::any && wanted.call != call) return SQLITE_OK;
    if (!file.ends_with(wanted.file)) return SQLITE_OK;
    ++shared.calls;
    const bool fails =
        wanted.lasts == how_long::once ? shared.calls == wanted.nth : shared.calls >= wanted.nth;
    if (!fails) return SQLITE_OK;
    shared.fired = true;
    return wanted.code != 0 ? wanted.code : usual_code(call);
}

sqlite3_vfs& real_vfs() {
    static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
    return *found;
}

struct shim_file {
    sqlite3_file base;  // first: SQLite sees only this
    const char* name;   // SQLite keeps it as long as the file is open
    sqlite3_file* real;
};

shim_file& shim(sqlite3_file* file) noexcept {
    return *reinterpret_cast<shim_file*>(file);
}
sqlite3_file* real(sqlite3_file* file) noexcept {
    return shim(file).real;
}
int failure(io_call call, sqlite3_file* file) {
    return failure_of_call(call, shim(file).name);
}

int close_file(sqlite3_file* file) {
    return real(file)->pMethods->xClose(real(file));
}

int read_file(sqlite3_file* file, void* target, int bytes, sqlite3_int64 offset) {
    if (const int code = failure(io_call::read, file)) {
        std::memset(target, 0, static_cast<std::size_t>(bytes));
        return code;
    }
    return real(file)->pMethods->xRead(real(file), target, bytes, offset);
}

int write_file(sqlite3_file* file, const void* source, int bytes, sqlite3_int64 offset) {
    if (const int code = failure(io_call::write, file)) return code;
    return real(file)->pMethods->xWrite(real(file), source, bytes, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 bytes) {
    if (const int code = failure(io_call::truncate, file)) return code;
    return real(file)->pMethods->xTruncate(real(file), bytes);
}

int sync_file(sqlite3_file* file, int) {
    return failure(io_call::sync, file);
}

int file_size(sqlite3_file* file, sqlite3_int64* bytes) {
    if (const int code = failure(io_call::size, file)) return code;
    return real(file)->pMethods->xFileSize(real(file), bytes);
}

int lock_file(sqlite3_file* file, int level) {
    if (const int code = failure(io_call::lock, file)) return code;
    return real(file)->pMethods->xLock(real(file), level);
}

int unlock_file(sqlite3_file* file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}

int check_lock(sqlite3_file* file, int* held) {
    return real(file)->pMethods->xCheckReservedLock(real(file), held);
}

int control_file(sqlite3_file* file, int what, void* argument) {
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}

int sector_size(sqlite3_file* file) {
    return real(file)->pMethods->xSectorSize(real(file));
}

int characteristics(sqlite3_file* file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

int map_shm(sqlite3_file* file, int region, int bytes, int extend, void volatile** memory) {
    if (const int code = failure(io_call::shm_map, file)) {
        *memory = nullptr;
        return code;
    }
    return real(file)->pMethods->xShmMap(real(file), region, bytes, extend, memory);
}

int lock_shm(sqlite3_file* file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) != 0) {
        if (const int code = failure(io_call::lock, file)) return code;
    }
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

void barrier_shm(sqlite3_file* file) {
    real(file)->pMethods->xShmBarrier(real(file));
}

int unmap_shm(sqlite3_file* file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2: without xFetch, so that every read can fail.
constexpr sqlite3_io_methods methods = {
    2,         close_file,  read_file,  write_file,   truncate_file, sync_file,       file_size,
    lock_file, unlock_file, check_lock, control_file, sector_size,   characteristics, map_shm,
    lock_shm,  barrier_shm, unmap_shm,  nullptr,      nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    if (const int code = failure_of_call(io_call::open, name)) return code;
    auto& opened = shim(file);
    opened.name = name;
    opened.real = reinterpret_cast<sqlite3_file*>(&opened + 1);
    const int code = real_vfs().xOpen(&real_vfs(), name, opened.real, flags, out_flags);
    if (opened.real->pMethods != nullptr) file->pMethods = &methods;
    return code;
}

int remove_file(sqlite3_vfs*, const char* name, int) {
    if (const int code = failure_of_call(io_call::remove, name)) return code;
    return real_vfs().xDelete(&real_vfs(), name, 0);
}

int access_file(sqlite3_vfs*, const char* name, int flags, int* answer) {
    if (const int code = failure_of_call(io_call::access, name)) return code;
    return real_vfs().xAccess(&real_vfs(), name, flags, answer);
}

int full_path(sqlite3_vfs*, const char* name, int bytes, char* path) {
    return real_vfs().xFullPathname(&real_vfs(), name, bytes, path);
}

sqlite3_vfs make_vfs() {
    sqlite3_vfs made = real_vfs();
    made.szOsFile = static_cast<int>(sizeof(shim_file)) + real_vfs().szOsFile;
    made.pNext = nullptr;
    made.zName = vfs_name;
    made.xOpen = open_file;
    made.xDelete = remove_file;
    made.xAccess = access_file;
    made.xFullPathname = full_path;
    return made;
}

}  // namespace

const char* fault_vfs_name() {
    static sqlite3_vfs made = make_vfs();
    static const int registered = sqlite3_vfs_register(&made, 0);
    static_cast<void>(registered);
    return vfs_name;
}

fault_scope::fault_scope(const fault& wanted) {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    shared.active = true;
    shared.wanted = wanted;
    shared.calls = 0;
    shared.fired = false;
}

fault_scope::~fault_scope() {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    shared.active = false;
}

bool fault_scope::fired() const {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    return shared.fired;
}

int fault_scope::calls() const {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    return shared.calls;
}

int io_count(io_call call, const std::string& file) {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    int count = 0;
    for (const auto& [key, calls] : shared.counts) {
        const bool same_call = call == io_call::any || key.first == call;
        if (same_call && key.second.ends_with(file)) count += calls;
    }
    return count;
}

void reset_io_counts() {
    auto& shared = state();
    const std::lock_guard lock(shared.guard);
    shared.counts.clear();
}

}  // namespace skiff_test
