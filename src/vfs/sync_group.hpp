// Commits that wait for the disk together: one of them syncs for all that have written by then. The
// next ones gather meanwhile (rules B6, B10, B18).
#pragma once

#include "base/mutex.hpp"
#include "vfs/os.hpp"
#include "vfs/wal_format.hpp"

#include <atomic>
#include <cstdint>

namespace skiff::vfs {

/// Thread-safe.
class sync_group {
  public:
    using ticket = std::uint64_t;
    /// Makes a file's data durable; an errno, or 0.
    using sync_call = int (*)(int fd) noexcept;
    /// A commit, and where in the log it ends.
    struct point {
        ticket number = 0;
        log_position position;
    };

    explicit sync_group(sync_call sync = os::sync_data) noexcept : sync_(sync) {}

    /// Taken after the commit's frames were written and while the WRITE lock is held: tickets are
    /// in the order of the log.
    ticket take(const log_position& commit) noexcept SKIFF_EXCLUDES(newest_guard_);
    /// For all that was written until now, by whomever.
    ticket take() noexcept SKIFF_EXCLUDES(newest_guard_);
    /// The newest commit of this process.
    [[nodiscard]] point newest() noexcept SKIFF_EXCLUDES(newest_guard_);
    /// Returns when a sync that began after the ticket was taken has ended: 0, or the errno of the
    /// first sync that failed. `fd` is synced by whoever leads.
    int wait(ticket mine, int fd) noexcept SKIFF_EXCLUDES(mutex_);
    /// Another sync of the file succeeded, which began after `covered` was the newest.
    void note_synced(const point& covered) noexcept SKIFF_EXCLUDES(mutex_);
    /// After an error nothing is durable any more: every ticket fails that was not covered before.
    void poison(int error) noexcept SKIFF_EXCLUDES(mutex_);
    /// errno of the sync that failed, 0 when none did.
    [[nodiscard]] int poisoned_by() const noexcept {
        return error_.load(std::memory_order_acquire);
    }
    /// Up to where commits of this process are durable.
    [[nodiscard]] point durable() noexcept SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] std::uint64_t syncs() const noexcept {
        return syncs_.load(std::memory_order_relaxed);
    }

  private:
    struct waiting {
        ticket wanted;
        std::atomic<std::uint32_t> awake{0};
        waiting* next = nullptr;
    };

    void lead(int fd) noexcept SKIFF_REQUIRES(mutex_);
    void keep_first_error(int error) noexcept SKIFF_REQUIRES(mutex_);
    void wake_covered(bool all) noexcept SKIFF_REQUIRES(mutex_);

    const sync_call sync_;
    mutex newest_guard_;
    point newest_ SKIFF_GUARDED_BY(newest_guard_);
    std::atomic<int> error_{0};
    std::atomic<std::uint64_t> syncs_{0};
    mutex mutex_;
    point durable_ SKIFF_GUARDED_BY(mutex_);
    bool syncing_ SKIFF_GUARDED_BY(mutex_) = false;
    waiting* front_ SKIFF_GUARDED_BY(mutex_) = nullptr;
    waiting** end_ SKIFF_GUARDED_BY(mutex_) = &front_;
};

}  // namespace skiff::vfs
