// The log of one connection: SQLite's file object for the -wal file. Frames are gathered and
// written in one call, at the latest with the page of a commit frame; reads come from the mapping;
// the sync of a commit is put off until the WRITE lock is free (sync_group).
#pragma once

#include "vfs/inode.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skiff::vfs {

class main_file;

/// Lives in memory that SQLite gives, which begins with `base`. One thread at a time, together with
/// its connection.
class wal_file {
  public:
    sqlite3_file base{};

    wal_file(main_file& database, int fd, std::string path, std::shared_ptr<wal_log> log) noexcept;
    ~wal_file();
    wal_file(const wal_file&) = delete;
    wal_file& operator=(const wal_file&) = delete;

    int read(void* target, int bytes, std::int64_t offset) noexcept;
    int write(const void* source, int bytes, std::int64_t offset) noexcept;
    int truncate(std::int64_t bytes) noexcept;
    int sync() noexcept;
    int size(std::int64_t& bytes) noexcept;

    /// The connection has the WRITE lock now: frames are appended from the end of the log on.
    void begin_transaction() noexcept {
        appended_to_ = 0;
        transaction_at_ = 0;
        if (!log_->is_prepared()) [[unlikely]]
            log_->prepare();  // where it cannot be had, each commit syncs by itself
    }
    /// The connection is about to give WRITE back: what is still gathered was rolled back, and its
    /// place in the log belongs to whoever writes next.
    void end_transaction() noexcept;
    /// Writes what was gathered, before others are told of it. Only frames of a transaction that
    /// goes on can be left; an error is kept for the next call, so that it cannot commit.
    void flush_at_barrier() noexcept { kept_error_ = flush(); }
    [[nodiscard]] wal_log* log() const noexcept { return log_.get(); }
    /// The database is gone before its log: nothing may be put off any more.
    void orphan() noexcept { database_ = nullptr; }
    /// Writes what was gathered; the destructor drops it.
    int close() noexcept { return flush(); }
    /// False in a child after fork: nothing may be done then.
    [[nodiscard]] bool is_ours() const noexcept { return generation_ == process::generation(); }

  private:
    int flush() noexcept;
    void drop_gathered() noexcept;
    int gather(const void* source, int bytes, std::int64_t offset) noexcept;
    int append(const void* source, int bytes) noexcept;
    void note_commit(std::int64_t end, int page_bytes) noexcept;
    int write_now(const void* source, int bytes, std::int64_t offset) noexcept;
    void reserve_space() noexcept;
    [[nodiscard]] bool may_defer_sync() const noexcept;
    int sync_now() noexcept;

    main_file* database_;
    const std::shared_ptr<wal_log> log_;
    int fd_;
    std::string path_;
    const std::uint64_t generation_ = process::generation();

    std::vector<std::byte> gathered_;
    std::int64_t gathered_at_ = 0;
    bool page_follows_ = false;      ///< a frame's header was gathered, its page was not
    std::uint32_t pages_after_ = 0;  ///< of that frame's header: not 0, it ends a transaction
    wal_salt salt_{};                ///< of that frame's header
    sync_group::ticket ended_at_commit_ = 0;  ///< the last thing written was this commit's page
    std::int64_t transaction_at_ = 0;         ///< where its first frame is; 0: none yet
    std::int64_t appended_to_ = 0;  ///< end of what this transaction wrote: before it is rewritten
    int kept_error_ = SQLITE_OK;
};

}  // namespace skiff::vfs
