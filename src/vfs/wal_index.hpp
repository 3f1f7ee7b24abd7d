// The wal-index of one database in this process: the -shm file, its mapped regions and its locks,
// shared by all connections to the database. The file, its lock bytes and the rules for attaching
// are those of every SQLite, so that other programs may come and go at any time.
#pragma once

#include "base/mutex.hpp"
#include "vfs/os.hpp"
#include "vfs/slot_table.hpp"

#include <string>
#include <vector>

namespace skiff::vfs {

/// Thread-safe. Attached from construction to destruction.
class wal_index final : private slot_host {
  public:
    explicit wal_index(bool may_be_alone) noexcept : slots_(*this, may_be_alone) {}
    ~wal_index();
    wal_index(const wal_index&) = delete;
    wal_index& operator=(const wal_index&) = delete;

    /// Opens the file beside `database_path` and joins those who use it. Call once; SQLITE_BUSY
    /// when another program is just setting it up.
    int open(const std::string& database_path, int database_fd) noexcept;
    /// The region, or null when the file has not got it and `extend` is false.
    int map(int region, int region_bytes, bool extend, void volatile** mapped) noexcept
        SKIFF_EXCLUDES(mutex_);
    /// The first region: the two copies of the header. Null before it is mapped.
    [[nodiscard]] const volatile void* header() const noexcept {
        return header_.load(std::memory_order_acquire);
    }
    /// Whether any other open file, of any process, is attached.
    [[nodiscard]] bool is_shared() noexcept { return others_attached(); }
    /// 1 when another process holds a lock of a reader, else 0; an SQLite code.
    int find_readers_elsewhere(int& found) noexcept;
    /// Deletes the file.
    void unlink() noexcept;
    /// Takes WRITE and CKPT as far as they are free, and never gives them back.
    void shut_out_writers() noexcept SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] slot_table& slots() noexcept { return slots_; }

  private:
    int lock_slots(os::lock_kind kind, int first, int count) noexcept override;
    bool others_attached() noexcept override;
    bool start_ticking() noexcept override;
    bool is_deleted() noexcept override;
    int attach() noexcept;
    int grow(std::int64_t bytes) noexcept;

    std::string path_;
    int fd_ = -1;
    mutex mutex_;
    std::vector<void*> regions_ SKIFF_GUARDED_BY(mutex_);
    int region_bytes_ SKIFF_GUARDED_BY(mutex_) = 0;
    std::atomic<const volatile void*> header_{nullptr};
    slot_owner* guard_ SKIFF_GUARDED_BY(mutex_) = nullptr;  ///< holds what shut_out_writers() took
    slot_table slots_;
};

}  // namespace skiff::vfs
