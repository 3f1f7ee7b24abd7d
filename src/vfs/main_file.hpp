// The database file of one connection: reads from the mapping, locks, the wal-index and its locks,
// and the second half of a commit's sync.
#pragma once

#include "vfs/file_lock.hpp"
#include "vfs/inode.hpp"
#include "vfs/open_names.hpp"
#include "vfs/status.hpp"

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace skiff::vfs {

class wal_file;

/// Lives in memory that SQLite gives, which begins with `base`. One thread at a time, together with
/// its connection.
class main_file {
  public:
    sqlite3_file base{};

    /// `opened_as` is the path as SQLite gave it.
    main_file(int fd,
              std::shared_ptr<inode> shared,
              std::string path,
              const char* opened_as) noexcept;
    ~main_file();
    main_file(const main_file&) = delete;
    main_file& operator=(const main_file&) = delete;

    int read(void* target, int bytes, std::int64_t offset) noexcept;
    int write(const void* source, int bytes, std::int64_t offset) noexcept;
    int truncate(std::int64_t bytes) noexcept;
    int sync() noexcept;
    int size(std::int64_t& bytes) noexcept;
    int fetch(std::int64_t offset, int bytes, void** page) noexcept;
    int lock(int level) noexcept;
    int unlock(int level) noexcept { return lock_.unlock(level); }
    int check_reserved(int& is_reserved) noexcept;
    int control(int operation, void* argument) noexcept;

    int map_index(int region, int region_bytes, bool extend, void volatile** mapped) noexcept;
    int lock_index(int first, int count, int flags) noexcept;
    void index_barrier() noexcept;
    int unmap_index(bool delete_file) noexcept;

    /// For the log: rule B1 as far as the connection's locks decide it.
    [[nodiscard]] bool may_defer_sync() const noexcept;
    void defer_sync(std::shared_ptr<wal_log> log, sync_group::ticket mine) noexcept;
    /// For the log: nothing may be committed any more.
    [[nodiscard]] bool has_lost_index() const noexcept {
        return index_ != nullptr && index_->slots().is_lost();
    }
    void set_wal(wal_file* opened) noexcept { wal_ = opened; }
    [[nodiscard]] inode& shared() const noexcept { return *shared_; }
    [[nodiscard]] int characteristics() const noexcept;
    /// False in a child after fork: nothing may be done then.
    [[nodiscard]] bool is_ours() const noexcept { return shared_->is_ours(); }
    /// In a child after fork: gives up what it shares with the parent without touching it.
    void abandon() noexcept;
    /// Whether the connection reads from mappings at all.
    [[nodiscard]] bool maps() const noexcept { return maps_; }
    [[nodiscard]] unsigned mode() const noexcept { return os::mode_of(fd_); }
    void give_owner_of(int fd) const noexcept { os::give_owner_of(fd, fd_); }

  private:
    using clock = std::chrono::steady_clock;

    void fill(vfs_status& status) noexcept;
    void keep_others_out_when_poisoned() noexcept;
    void let_writers_run() noexcept;
    [[nodiscard]] bool gives_way_to_governor() const noexcept;
    int lock_index_exclusively(int first, int count) noexcept;
    bool take_write_turn(bool waits, clock::time_point& until) noexcept;
    int poll_exclusive(int first, int count, clock::time_point until) noexcept;
    int ask_eagerly(clock::time_point until) noexcept;
    int unlock_index_exclusively(int first, int count) noexcept;
    void note_rivals() noexcept;
    void leave_room() noexcept;
    int finish_commit() noexcept;
    int wait_for_sync(wal_log& log, sync_group::ticket wanted) noexcept;
    int wait_durable() noexcept;
    /// After a failed sync nothing may be written any more.
    [[nodiscard]] bool is_poisoned() const noexcept;
    [[nodiscard]] clock::time_point lock_deadline() const noexcept;
    bool size_is_remembered(std::int64_t& bytes) noexcept;
    void remember_size(std::int64_t bytes) noexcept;
    const std::byte* find_mapped(std::int64_t offset, std::size_t bytes) noexcept;
    bool open_map() noexcept;
    void note_pragma(const char* name, const char* value) noexcept;
    int set_map_limit(std::int64_t& bytes) noexcept;
    int size_hint(std::int64_t bytes) noexcept;

    int fd_;
    const bool is_governors_ = governor::is_opening();
    std::shared_ptr<inode> shared_;
    std::string path_;
    open_name opened_as_;
    file_lock lock_;
    std::shared_ptr<wal_index> index_;
    slot_owner* slots_ = nullptr;
    wal_file* wal_ = nullptr;

    sync_group::ticket pending_ = 0;  ///< of a commit whose sync was put off; 0 for none
    std::shared_ptr<wal_log> pending_log_;
    const void* connection_ = nullptr;  ///< SQLite's, as SQLITE_FCNTL_PDB said: only compared
    bool has_turn_ = false;             ///< of the writers of this process
    int lock_timeout_ms_ = 0;           ///< SQLITE_FCNTL_LOCK_TIMEOUT; negative for ever
    /// Whether anything may be read from a mapping. The governor reads each frame once, for
    /// programs that may not want any.
    bool maps_ = !is_governors_;
    std::int64_t map_limit_ = 0;  ///< of the pages that are lent out
    std::uint32_t misses_ = 0;    ///< reads that the mapping did not have
    int chunk_bytes_ = 0;
    int reads_beside_writers_ = 0;
    bool persists_wal_ = false;
    bool powersafe_overwrite_ = true;
    int last_errno_ = 0;

    /// Both copies of the wal-index header under which the size was seen (48 bytes each).
    std::array<std::byte, 96> size_key_{};
    std::int64_t remembered_size_ = -1;
    std::uint64_t remembered_since_ = 0;  ///< slot_table::undisturbed_since() before the look
};

}  // namespace skiff::vfs
