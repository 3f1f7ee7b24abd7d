// Each change of coverage is made before the lines of the readers are looked at: a reader that came
// too late to be seen finds the change and takes the slow path.
#include "vfs/slot_table.hpp"

#include "vfs/io_error.hpp"
#include "vfs/mutant.hpp"

#include <algorithm>
#include <new>

namespace skiff::vfs {

namespace {

using os::lock_kind;
using std::chrono::milliseconds;

/// Alone mode costs two system calls to enter and two to leave: it must pay at once.
constexpr int slow_calls_to_enter = 8;
constexpr milliseconds slow_window{2};
/// Pause after another process was seen.
constexpr milliseconds refused_pause{10};
constexpr int idle_ticks_max = 2;

}  // namespace

slot_owner* slot_table::attach() noexcept {
    const mutex_lock lock(mutex_);
    const auto free = std::ranges::find_if(owners_, [](const auto& each) { return !each->in_use; });
    try {
        auto& owner =
            free != owners_.end() ? **free : *owners_.emplace_back(std::make_unique<slot_owner>());
        owner.in_use = true;
        return &owner;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void slot_table::detach(slot_owner& owner) noexcept {
    for (int slot = 0; slot < slot_count; ++slot) {
        if ((owner.exclusive >> slot & 1U) != 0) unlock_exclusive(owner, slot, 1);
        if ((owner.shared.load(std::memory_order_relaxed) >> slot & 1U) != 0) {
            unlock_shared(owner, slot);
        }
    }
    const mutex_lock lock(mutex_);
    owner.in_use = false;
}

slot_mask slot_table::shared_by_anyone() const noexcept {
    slot_mask all = 0;
    for (const auto& each : owners_) all |= each->shared.load(std::memory_order_seq_cst);
    return all;
}

std::uint64_t slot_table::all_uses() const noexcept {
    std::uint64_t all = 0;
    for (const auto& each : owners_) all += each->uses.load(std::memory_order_relaxed);
    return all;
}

int slot_table::lock_kernel(lock_kind kind, int first, int count) noexcept {
    counters_.kernel_calls.fetch_add(1, std::memory_order_relaxed);
    return host_.lock_slots(kind, first, count);
}

int slot_table::lock_shared_slowly(slot_owner& owner, int slot) noexcept {
    const slot_mask bit = 1U << slot;
    const mutex_lock lock(mutex_);
    int code = SQLITE_OK;
    const slot_mask state = state_.load(std::memory_order_relaxed);
    if (look_for_index()) {
        code = SQLITE_IOERR_SHMOPEN;
    } else if ((exclusive_ & bit) != 0) {
        code = SQLITE_BUSY;
    } else if ((state & (alone_flag | bit << covered_shift)) == 0) {
        code = lock_error(lock_kernel(lock_kind::shared, slot, 1), SQLITE_IOERR_SHMLOCK);
        if (code == SQLITE_OK) {
            state_.fetch_or(bit << covered_shift, std::memory_order_seq_cst);
            count_slow_call();
        }
    }
    if (code == SQLITE_OK) return code;
    passes(delay_point::reader_refused);
    owner.shared.fetch_and(~bit, std::memory_order_release);
    return code;
}

void slot_table::unlock_shared_slowly(int slot) noexcept {
    const slot_mask covered = 1U << slot << covered_shift;
    const mutex_lock lock(mutex_);
    const slot_mask state = state_.load(std::memory_order_relaxed);
    if ((state & alone_flag) != 0 || (state & covered) == 0) return;
    if (is_seeded(mutant::m13_read0_kept) && slot == first_read_slot && host_.start_ticking())
        return;
    if (is_seeded(mutant::m10_leftover_freed_unguarded)) {
        if ((shared_by_anyone() >> slot & 1U) != 0) return;
        os::yield_processor();
        lock_kernel(lock_kind::none, slot, 1);
        state_.fetch_and(~covered);
        return;
    }
    state_.fetch_and(~covered, std::memory_order_seq_cst);
    passes(delay_point::byte_uncovered);
    if ((shared_by_anyone() >> slot & 1U) != 0) {
        state_.fetch_or(covered, std::memory_order_seq_cst);
    } else if (lock_kernel(lock_kind::none, slot, 1) != 0) {
        unlock_later(1U << slot);
    }
}

/// The kernel would not unlock, for want of memory: the timer tries again, or other processes would
/// be locked out until somebody here uses the slots.
void slot_table::unlock_later(slot_mask mask) noexcept {
    state_.fetch_or(mask << covered_shift, std::memory_order_seq_cst);
    host_.start_ticking();
}

int slot_table::lock_exclusive(slot_owner& owner, int first, int count) noexcept {
    const slot_mask mask = bits_of(first, count);
    note_use(owner);
    const mutex_lock lock(mutex_);
    if (lost_ || (!is_alone() && look_for_index())) return SQLITE_IOERR_SHMOPEN;
    if ((exclusive_ & mask) != 0) return SQLITE_BUSY;
    const slot_mask gates = mask & read_bits;
    const slot_mask before = state_.load(std::memory_order_relaxed);
    const slot_mask covered = before & (mask << covered_shift);
    if (is_seeded(mutant::m9_leftover_not_broken) && covered != 0) return SQLITE_BUSY;
    const bool looks_early = is_seeded(mutant::s7_gate_shut_too_late);
    const slot_mask seen_early = looks_early ? shared_by_anyone() : 0;
    if (looks_early) os::yield_processor();
    // Gates shut and coverage gone first: then no reader passes unseen.
    if ((gates | covered) != 0) {
        state_.store((before | gates) & ~covered, std::memory_order_seq_cst);
    }
    passes(delay_point::gate_shut);
    bool shared = (shared_by_anyone() & mask) != 0;
    passes(delay_point::readers_looked_at);
    if (is_seeded(mutant::s5_readers_not_looked_at)) shared = false;
    if (looks_early) shared = (seen_early & mask) != 0;
    int code = shared ? SQLITE_BUSY : SQLITE_OK;
    if (code == SQLITE_OK && (before & alone_flag) == 0) {
        code = lock_error(lock_kernel(lock_kind::exclusive, first, count), SQLITE_IOERR_SHMLOCK);
    }
    if (code != SQLITE_OK) {
        if ((gates | covered) != 0) state_.store(before, std::memory_order_seq_cst);
        return code;
    }
    exclusive_ |= mask;
    owner.exclusive |= mask;
    if ((mask & recover_bit) != 0 && !is_seeded(mutant::s22_recovery_not_noticed))
        disturbed_.fetch_add(1, std::memory_order_acq_rel);
    // Locks of a recovery come in a row, and say nothing of what the program will do.
    if (mask == write_bit && (before & alone_flag) == 0) count_slow_call();
    return SQLITE_OK;
}

int slot_table::unlock_exclusive(slot_owner& owner, int first, int count) noexcept {
    const slot_mask mask = bits_of(first, count);
    const mutex_lock lock(mutex_);
    if ((owner.exclusive & mask) == 0) return SQLITE_OK;
    int code = SQLITE_OK;
    if ((state_.load(std::memory_order_relaxed) & alone_flag) == 0 &&
        lock_kernel(lock_kind::none, first, count) != 0) {
        code = SQLITE_IOERR_SHMLOCK;
        unlock_later(mask);
    }
    exclusive_ &= ~mask;
    owner.exclusive &= ~mask;
    passes(delay_point::gate_opens);
    if ((mask & read_bits) != 0 && !lost_) {
        state_.fetch_and(~(mask & read_bits), std::memory_order_seq_cst);
    }
    return code;
}

/// Many slow calls in a short time: see whether one kernel lock can stand for all of them.
void slot_table::count_slow_call() noexcept {
    if (!may_be_alone_) return;
    const auto now = clock::now();
    if (now - slow_since_ > slow_window) {
        slow_since_ = now;
        slow_calls_ = 0;
    }
    if (++slow_calls_ >= slow_calls_to_enter && now - refused_at_ > refused_pause) {
        consider_alone();
    }
}

void slot_table::consider_alone() noexcept {
    slow_calls_ = 0;
    // Rule E1: only when nobody else is there, and without waiting.
    const bool others = host_.others_attached() && !is_seeded(mutant::s18_alone_in_company);
    if (others || lock_kernel(lock_kind::exclusive, 0, slot_count) != 0) {
        refused_at_ = clock::now();
        return;
    }
    passes(delay_point::alone_granted);
    const slot_mask gates = state_.load(std::memory_order_relaxed) & read_bits;
    disturbed_.fetch_add(1, std::memory_order_acq_rel);
    state_.store(gates | alone_flag, std::memory_order_seq_cst);
    alone_since_ = clock::now();
    idle_ticks_ = 0;
    uses_seen_ = all_uses();
    counters_.alone_begun.fetch_add(1, std::memory_order_relaxed);
    if (!host_.start_ticking()) {
        may_be_alone_ = false;
        leave_alone();
    }
}

/// Rule E3: a byte that is used here stays locked as it is used; the others are given back.
void slot_table::leave_alone() noexcept {
    state_.fetch_and(~alone_flag, std::memory_order_seq_cst);
    passes(delay_point::alone_flag_gone);
    const slot_mask shared = shared_by_anyone();
    for (int slot = 0; slot < slot_count; ++slot) {
        const slot_mask bit = 1U << slot;
        if ((exclusive_ & bit) != 0) continue;
        const bool used = (shared & bit) != 0 && !is_seeded(mutant::s1_alone_left_without_locks);
        const int error = lock_kernel(used ? lock_kind::shared : lock_kind::none, slot, 1);
        passes(delay_point::alone_byte_given_back);
        // An exclusive lock that could not be made weaker covers readers as well.
        if (used || error != 0) {
            state_.fetch_or(bit << covered_shift, std::memory_order_seq_cst);
        }
    }
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto lasted =
        std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - alone_since_).count();
    counters_.longest_alone_us.store(
        std::max(counters_.longest_alone_us.load(relaxed), static_cast<std::uint64_t>(lasted)),
        relaxed);
    counters_.alone_ended.fetch_add(1, relaxed);
}

bool slot_table::look_for_index(clock::duration period) noexcept {
    if (lost_ || is_seeded(mutant::s31_lost_index_not_noticed)) return lost_;
    const auto now = clock::now();
    if (now - looked_at_.load(std::memory_order_relaxed) < period) return false;
    looked_at_ = now;
    if (!host_.is_deleted()) return false;
    lost_ = true;
    state_.fetch_or(read_bits, std::memory_order_seq_cst);  // no reader takes the short way
    if (is_alone()) leave_alone();
    return true;
}

void slot_table::uncover_unused() noexcept {
    const slot_mask covered = state_.load(std::memory_order_relaxed) >> covered_shift & 0xffU;
    if (covered == 0) return;
    state_.fetch_and(~(covered << covered_shift), std::memory_order_seq_cst);
    passes(delay_point::leftovers_uncovered);
    const slot_mask shared = shared_by_anyone();
    for (int slot = 0; slot < slot_count; ++slot) {
        const slot_mask bit = 1U << slot;
        if ((covered & bit) == 0) continue;
        if ((shared & bit) != 0 || lock_kernel(lock_kind::none, slot, 1) != 0) {
            state_.fetch_or(bit << covered_shift, std::memory_order_seq_cst);
        }
    }
}

bool slot_table::tick() noexcept {
    passes(delay_point::timer_looks);
    const mutex_lock lock(mutex_);
    if (!is_alone()) {
        uncover_unused();
        return (state_.load(std::memory_order_relaxed) >> covered_shift & 0xffU) != 0;
    }
    if (look_for_index()) return true;
    const std::uint64_t uses = all_uses();
    idle_ticks_ = uses == uses_seen_ ? idle_ticks_ + 1 : 0;
    uses_seen_ = uses;
    const bool others = host_.others_attached() && !is_seeded(mutant::s19_alone_goes_on);
    if (others) refused_at_ = clock::now();
    if (others || idle_ticks_ >= idle_ticks_max) leave_alone();
    return true;
}

slot_table::clock::duration slot_table::oldest_read(clock::time_point now) noexcept {
    const mutex_lock lock(mutex_);
    auto oldest = now;
    for (const auto& each : owners_) {
        const bool reads = (each->shared.load(std::memory_order_relaxed) & read_bits) != 0;
        const auto uses = each->uses.load(std::memory_order_relaxed);
        const bool is_same = each->read_since != clock::time_point{} && uses == each->uses_seen;
        each->uses_seen = uses;
        each->read_since = !reads ? clock::time_point{} : is_same ? each->read_since : now;
        if (reads) oldest = std::min(oldest, each->read_since);
    }
    return now - oldest;
}

void slot_table::forbid_alone() noexcept {
    const mutex_lock lock(mutex_);
    may_be_alone_ = false;
    if (is_alone()) leave_alone();
}

bool slot_table::is_held_exclusively(slot_mask mask) noexcept {
    const mutex_lock lock(mutex_);
    return (exclusive_ & mask) != 0;
}

}  // namespace skiff::vfs
