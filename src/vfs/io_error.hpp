// From errno to SQLite's extended codes.
#pragma once

#include <sqlite3.h>

#include <cerrno>

namespace skiff::vfs {

/// For writes: a full disk has a code of its own.
[[nodiscard]] constexpr int write_error(int error, int otherwise) noexcept {
    if (error == 0) return SQLITE_OK;
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? SQLITE_FULL : otherwise;
}

/// For locks: somebody is in the way, or locking does not work here.
[[nodiscard]] constexpr int lock_error(int error, int otherwise) noexcept {
    if (error == 0) return SQLITE_OK;
    return error == EAGAIN || error == EACCES || error == EDEADLK || error == ETIMEDOUT
               ? SQLITE_BUSY
               : otherwise;
}

}  // namespace skiff::vfs
