// Who in this process holds which of the eight WAL locks, and what the kernel is told of it.
//
// Each connection has a cache line of its own for the locks it shares, so that readers on different
// processors never write the same line. A reader marks its line and looks at the gate; whoever
// wants exclusivity shuts the gate and looks at all lines: one of the two sees the other.
//
// Alone mode: while no other open file in any process uses the database, one kernel lock over all
// eight bytes stands for every lock, and no request needs a system call. It ends when somebody else
// shows up, byte by byte and without a gap: a byte that is in use here stays locked as it is used.
//
//     bytes    0 WRITE   1 CKPT   2 RECOVER   3..7 READ0..READ4      (120 + slot in the -shm file)
#pragma once

#include "base/delay_point.hpp"
#include "base/mutex.hpp"
#include "vfs/mutant.hpp"
#include "vfs/os.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace skiff::vfs {

using slot_mask = std::uint32_t;

constexpr int slot_count = 8;  // SQLITE_SHM_NLOCK
constexpr int write_slot = 0;
constexpr int checkpoint_slot = 1;
constexpr int recover_slot = 2;
constexpr int first_read_slot = 3;
constexpr slot_mask write_bit = 1U << write_slot;
constexpr slot_mask checkpoint_bit = 1U << checkpoint_slot;
constexpr slot_mask recover_bit = 1U << recover_slot;
constexpr slot_mask read_bits = 0xf8;

constexpr slot_mask bits_of(int first, int count) noexcept {
    return ((1U << count) - 1U) << first;
}

/// What the table needs from outside: locks that other processes see, and a timer.
class slot_host {
  public:
    virtual ~slot_host() = default;
    /// Locks or converts a range of slots in one step; an errno, EAGAIN when somebody is in the
    /// way.
    virtual int lock_slots(os::lock_kind kind, int first, int count) noexcept = 0;
    /// Whether any other open file is attached to the wal-index.
    virtual bool others_attached() noexcept = 0;
    /// Alone mode began: tick() must be called about every millisecond until it returns false.
    /// False when that cannot be had.
    virtual bool start_ticking() noexcept = 0;
    /// Whether the wal-index was deleted: other programs find no or another one.
    virtual bool is_deleted() noexcept = 0;
};

/// What one connection shares; its own cache line.
struct alignas(64) slot_owner {
    std::atomic<slot_mask> shared{0};
    std::atomic<std::uint32_t> uses{0};  ///< lock requests, to see whether anything happens
    slot_mask exclusive = 0;             ///< the connection's own
    bool in_use = false;                 ///< under the table's mutex
    // Of the last look at the connection's read, under the table's mutex.
    std::uint32_t uses_seen = 0;
    std::chrono::steady_clock::time_point read_since{};
};

struct slot_counters {
    std::atomic<std::uint64_t> kernel_calls{0};
    std::atomic<std::uint64_t> alone_begun{0};
    std::atomic<std::uint64_t> alone_ended{0};
    std::atomic<std::uint64_t> longest_alone_us{0};  ///< of those that ended
};

/// Thread-safe; each owner by one thread at a time.
class slot_table {
  public:
    using clock = std::chrono::steady_clock;

    slot_table(slot_host& host, bool may_be_alone) noexcept
        : host_(host), may_be_alone_(may_be_alone) {}

    /// Never moves or dies while attached; null when there is no memory.
    slot_owner* attach() noexcept SKIFF_EXCLUDES(mutex_);
    void detach(slot_owner& owner) noexcept SKIFF_EXCLUDES(mutex_);

    /// SQLITE_OK, SQLITE_BUSY, SQLITE_IOERR_SHMLOCK or, when the index is lost,
    /// SQLITE_IOERR_SHMOPEN.
    int lock_shared(slot_owner& owner, int slot) noexcept {
        const slot_mask bit = 1U << slot;
        if ((owner.shared.load(std::memory_order_relaxed) & bit) != 0) return 0;
        note_use(owner);
        // Total order with shutting the gate and with leaving alone mode.
        owner.shared.fetch_or(bit, std::memory_order_seq_cst);
        passes(delay_point::reader_marked);
        const slot_mask state = state_.load(std::memory_order_seq_cst);
        const bool covered = (state & (alone_flag | bit << covered_shift)) != 0;
        const bool is_open = (state & bit) == 0 || is_seeded(mutant::s24_gate_not_looked_at);
        if (covered && is_open && (bit & read_bits) != 0 && !is_lost()) [[likely]]
            return 0;
        return lock_shared_slowly(owner, slot);
    }
    void unlock_shared(slot_owner& owner, int slot) noexcept {
        const slot_mask bit = 1U << slot;
        const slot_mask left = owner.shared.load(std::memory_order_relaxed) & ~bit;
        owner.shared.store(left, std::memory_order_release);
        passes(delay_point::reader_gone);
        if ((state_.load(std::memory_order_relaxed) & alone_flag) != 0) [[likely]]
            return;
        unlock_shared_slowly(slot);
    }
    int lock_exclusive(slot_owner& owner, int first, int count) noexcept SKIFF_EXCLUDES(mutex_);
    int unlock_exclusive(slot_owner& owner, int first, int count) noexcept SKIFF_EXCLUDES(mutex_);

    /// Ends alone mode when another process is there or nothing was used for two calls, and unlocks
    /// bytes that readers left behind while it ended. False when no further call is needed.
    bool tick() noexcept SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] bool is_alone() const noexcept {
        return (state_.load(std::memory_order_relaxed) & alone_flag) != 0;
    }
    /// While the same number is returned, and not 0, no other process had any lock, and nobody here
    /// wrote a new wal-index.
    [[nodiscard]] std::uint64_t undisturbed_since() const noexcept {
        return is_alone() ? disturbed_.load(std::memory_order_acquire) : 0;
    }
    /// Whether somebody deleted the wal-index under us. What is locked here is then no longer
    /// locked for others, who make another index over the same log: so all locks are refused, from
    /// a millisecond after the deletion on, until the last connection here has closed.
    [[nodiscard]] bool is_lost() noexcept SKIFF_EXCLUDES(mutex_) {
        if (is_alone()) [[likely]]
            return lost_.load(std::memory_order_relaxed);  // the timer looks
        const auto seen = looked_at_.load(std::memory_order_relaxed);
        if (clock::now() - seen < look_period) return lost_.load(std::memory_order_relaxed);
        return is_lost_now();
    }
    /// The same without the millisecond.
    [[nodiscard]] bool is_lost_now() noexcept SKIFF_EXCLUDES(mutex_) {
        const mutex_lock lock(mutex_);
        return look_for_index(clock::duration::zero());
    }
    /// Ends alone mode now, and keeps it from beginning again.
    void forbid_alone() noexcept SKIFF_EXCLUDES(mutex_);
    /// Whether a connection of this process holds one of the slots exclusively.
    [[nodiscard]] bool is_held_exclusively(slot_mask mask) noexcept SKIFF_EXCLUDES(mutex_);
    /// Lock requests of all connections so far.
    [[nodiscard]] std::uint64_t requests() noexcept SKIFF_EXCLUDES(mutex_) {
        const mutex_lock lock(mutex_);
        return all_uses();
    }
    /// For how long the oldest read that is open has been so, as far as earlier calls saw it: a
    /// read is noticed by the first call, and recognised by the next ones. Zero when there is none.
    [[nodiscard]] clock::duration oldest_read(clock::time_point now) noexcept
        SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] const slot_counters& counters() const noexcept { return counters_; }

  private:
    static constexpr int covered_shift = 8;
    static constexpr slot_mask alone_flag = 1U << 16;
    /// Less than the time between ticks, so that each looks.
    static constexpr std::chrono::microseconds look_period{500};

    static void note_use(slot_owner& owner) noexcept {
        owner.uses.store(owner.uses.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    int lock_shared_slowly(slot_owner& owner, int slot) noexcept SKIFF_EXCLUDES(mutex_);
    void unlock_shared_slowly(int slot) noexcept SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] slot_mask shared_by_anyone() const noexcept SKIFF_REQUIRES(mutex_);
    [[nodiscard]] std::uint64_t all_uses() const noexcept SKIFF_REQUIRES(mutex_);
    int lock_kernel(os::lock_kind kind, int first, int count) noexcept SKIFF_REQUIRES(mutex_);
    void uncover_unused() noexcept SKIFF_REQUIRES(mutex_);
    void unlock_later(slot_mask mask) noexcept SKIFF_REQUIRES(mutex_);
    void count_slow_call() noexcept SKIFF_REQUIRES(mutex_);
    void consider_alone() noexcept SKIFF_REQUIRES(mutex_);
    void leave_alone() noexcept SKIFF_REQUIRES(mutex_);
    bool look_for_index(clock::duration period = look_period) noexcept SKIFF_REQUIRES(mutex_);

    slot_host& host_;
    /// Bits 3-7: gates, shut while a READ slot is held exclusively here, or the index is lost. Bits
    /// 8-15: covered by a shared kernel lock. Bit 16: alone. WRITE has no gate: it would be written
    /// at each commit.
    alignas(64) std::atomic<slot_mask> state_{0};
    alignas(64) mutex mutex_;
    std::vector<std::unique_ptr<slot_owner>> owners_ SKIFF_GUARDED_BY(mutex_);
    slot_mask exclusive_ SKIFF_GUARDED_BY(mutex_) = 0;  ///< held by connections of this process
    bool may_be_alone_ SKIFF_GUARDED_BY(mutex_);
    int slow_calls_ SKIFF_GUARDED_BY(mutex_) = 0;
    clock::time_point slow_since_ SKIFF_GUARDED_BY(mutex_){};
    clock::time_point refused_at_ SKIFF_GUARDED_BY(mutex_){};
    std::atomic<clock::time_point> looked_at_{};  ///< changed under the mutex, like the next one
    std::atomic<bool> lost_{false};
    std::uint64_t uses_seen_ SKIFF_GUARDED_BY(mutex_) = 0;
    int idle_ticks_ SKIFF_GUARDED_BY(mutex_) = 0;
    clock::time_point alone_since_ SKIFF_GUARDED_BY(mutex_){};
    std::atomic<std::uint64_t> disturbed_{0};  ///< alone mode entered, or RECOVER held here
    slot_counters counters_;
};

}  // namespace skiff::vfs
