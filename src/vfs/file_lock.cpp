// The bytes and the order in which they are taken must be SQLite's, or two programs would each
// believe that they write alone.
#include "vfs/file_lock.hpp"

#include "vfs/io_error.hpp"
#include "vfs/mutant.hpp"
#include "vfs/os.hpp"

namespace skiff::vfs {

namespace {

// sqlite3.c: PENDING_BYTE, RESERVED_BYTE, SHARED_FIRST, SHARED_SIZE.
constexpr std::int64_t pending_byte = 0x40000000;
constexpr std::int64_t reserved_byte = pending_byte + 1;
constexpr std::int64_t shared_first = pending_byte + 2;
constexpr std::int64_t shared_size = 510;

}  // namespace

int file_lock::lock_shared() noexcept {
    // A writer that waits for readers to go holds PENDING: new readers must not starve it.
    const int error_of_pending = os::lock_range(fd_, os::lock_kind::shared, pending_byte, 1);
    if (const int error = is_seeded(mutant::s16_pending_not_respected) ? 0 : error_of_pending) {
        return lock_error(error, SQLITE_IOERR_LOCK);
    }
    const int error = os::lock_range(fd_, os::lock_kind::shared, shared_first, shared_size);
    const int left = os::lock_range(fd_, os::lock_kind::none, pending_byte, 1);
    if (error != 0) return lock_error(error, SQLITE_IOERR_LOCK);
    if (left != 0) return SQLITE_IOERR_UNLOCK;
    level_ = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
}

int file_lock::lock(int level) noexcept {
    if (level_ >= level) return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) return lock_shared();
    const auto take = [this](std::int64_t start, std::int64_t length, int reached) {
        const int error = os::lock_range(fd_, os::lock_kind::exclusive, start, length);
        if (error != 0) return lock_error(error, SQLITE_IOERR_LOCK);
        level_ = reached;
        return SQLITE_OK;
    };
    if (level == SQLITE_LOCK_RESERVED) return take(reserved_byte, 1, level);
    // From SHARED (a hot journal is played back, a WAL is closed) SQLite goes without PENDING.
    if (level_ == SQLITE_LOCK_RESERVED) {
        const int code = take(pending_byte, 1, SQLITE_LOCK_PENDING);
        if (code != SQLITE_OK || level == SQLITE_LOCK_PENDING) return code;
    }
    return take(shared_first, shared_size, SQLITE_LOCK_EXCLUSIVE);
}

int file_lock::unlock(int level) noexcept {
    if (level_ <= level) return SQLITE_OK;
    int error = 0;
    if (level == SQLITE_LOCK_SHARED) {
        if (level_ == SQLITE_LOCK_EXCLUSIVE) {
            error = os::lock_range(fd_, os::lock_kind::shared, shared_first, shared_size);
            if (error != 0) return SQLITE_IOERR_RDLOCK;
        }
        error = os::lock_range(fd_, os::lock_kind::none, pending_byte, 2);  // and RESERVED
    } else {
        error = os::lock_range(fd_, os::lock_kind::none, pending_byte, 2 + shared_size);
    }
    if (error != 0) return SQLITE_IOERR_UNLOCK;
    level_ = level;
    return SQLITE_OK;
}

int file_lock::check_reserved(bool& is_reserved) const noexcept {
    is_reserved = level_ >= SQLITE_LOCK_RESERVED;
    if (is_reserved) return SQLITE_OK;
    const int held = os::lock_held_by_others(fd_, reserved_byte, 1);
    if (held < 0) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    is_reserved = held != static_cast<int>(os::lock_kind::none);
    return SQLITE_OK;
}

}  // namespace skiff::vfs
