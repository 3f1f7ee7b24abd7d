// The locks on a database file itself: SHARED, RESERVED, PENDING, EXCLUSIVE, on the bytes that
// every SQLite uses (sqlite.org/lockingv3.html). Each connection has an open file of its own, so
// that SQLite's ladder needs no table shared by the process.
#pragma once

namespace skiff::vfs {

/// One thread at a time, together with its connection.
class file_lock {
  public:
    explicit file_lock(int fd) noexcept : fd_(fd) {}

    /// Climbs to one of SQLITE_LOCK_*; SQLITE_BUSY when another one is in the way.
    int lock(int level) noexcept;
    /// Goes down to SQLITE_LOCK_SHARED or SQLITE_LOCK_NONE.
    int unlock(int level) noexcept;
    /// Whether anybody, here or elsewhere, holds RESERVED or more.
    int check_reserved(bool& is_reserved) const noexcept;
    [[nodiscard]] int level() const noexcept { return level_; }

  private:
    int lock_shared() noexcept;

    int fd_;
    int level_ = 0;  // SQLITE_LOCK_NONE
};

}  // namespace skiff::vfs
