// Commits that wait for the disk together: one of them syncs for all that have written by then. The
// next ones gather meanwhile (rules B6, B10, B18).
#pragma once

#include "base/mutex.hpp"
#include "vfs/os.hpp"

#include <atomic>
#include <cstdint>

namespace skiff::vfs {

/// Thread-safe.
class sync_group {
  public:
    using ticket = std::uint64_t;
    /// Makes a file's data durable; an errno, or 0.
    using sync_call = int (*)(int fd) noexcept;

    explicit sync_group(sync_call sync = os::sync_data) noexcept : sync_(sync) {}

    /// Taken after the commit's frames were written and while the WRITE lock is held: tickets are
    /// in the order of the log.
    ticket take() noexcept { return written_.fetch_add(1, std::memory_order_acq_rel) + 1; }
    /// Returns when a sync that began after the ticket was taken has ended: 0, or the errno of the
    /// first sync that failed. `fd` is synced by whoever leads.
    int wait(ticket mine, int fd) noexcept SKIFF_EXCLUDES(mutex_);
    /// After an error nothing is durable any more: every ticket fails that was not covered before.
    void poison(int error) noexcept SKIFF_EXCLUDES(mutex_);
    /// errno of the sync that failed, 0 when none did.
    [[nodiscard]] int poisoned_by() const noexcept {
        return error_.load(std::memory_order_acquire);
    }
    [[nodiscard]] std::uint64_t syncs() const noexcept {
        return syncs_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t commits() const noexcept {
        return written_.load(std::memory_order_relaxed);
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
    std::atomic<ticket> written_{0};
    std::atomic<int> error_{0};
    std::atomic<std::uint64_t> syncs_{0};
    mutex mutex_;
    ticket durable_ SKIFF_GUARDED_BY(mutex_) = 0;
    bool syncing_ SKIFF_GUARDED_BY(mutex_) = false;
    waiting* front_ SKIFF_GUARDED_BY(mutex_) = nullptr;
    waiting** end_ SKIFF_GUARDED_BY(mutex_) = &front_;
};

}  // namespace skiff::vfs
