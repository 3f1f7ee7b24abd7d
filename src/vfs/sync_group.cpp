// The leader takes what was written before it began, and no more: a commit that comes while the
// disk works is not covered by it (the mutant "joins the sync that runs" loses commits at a power
// cut).
#include "vfs/sync_group.hpp"

#include "base/delay_point.hpp"
#include "vfs/mutant.hpp"
#include "vfs/os.hpp"

namespace skiff::vfs {

namespace {

constexpr auto no_limit = std::chrono::steady_clock::time_point::max();

}  // namespace

sync_group::ticket sync_group::take(const log_position& commit) noexcept {
    const mutex_lock lock(newest_guard_);
    newest_.position = commit;
    return ++newest_.number;
}

sync_group::ticket sync_group::take() noexcept {
    const mutex_lock lock(newest_guard_);
    return ++newest_.number;
}

sync_group::point sync_group::newest() noexcept {
    const mutex_lock lock(newest_guard_);
    return newest_;
}

sync_group::point sync_group::durable() noexcept {
    const mutex_lock lock(mutex_);
    return durable_;
}

int sync_group::wait(ticket mine, int fd) noexcept {
    const mutex_lock lock(mutex_);
    for (;;) {
        if (durable_.number >= mine) return 0;
        if (const int error = poisoned_by()) {
            if (is_seeded(mutant::m6_error_forgotten)) error_.store(0);
            return error;
        }
        if (!syncing_) {
            lead(fd);
            continue;
        }
        waiting me{.wanted = mine};
        *end_ = &me;
        end_ = &me.next;
        mutex_.unlock();
        passes(delay_point::sync_waits);
        while (me.awake.load(std::memory_order_acquire) == 0) {
            os::sleep_while(me.awake, 0, no_limit);
        }
        mutex_.lock();
    }
}

void sync_group::lead(int fd) noexcept {
    syncing_ = true;
    mutex_.unlock();
    passes(delay_point::sync_leads);
    point covered = newest();
    passes(delay_point::sync_covers);
    int error = sync_(fd);
    if (is_seeded(mutant::m8_sync_repeated) && error != 0) error = sync_(fd);
    if (is_seeded(mutant::m2_sync_in_flight_joined)) covered = newest();
    passes(delay_point::sync_ended);
    mutex_.lock();
    syncing_ = false;
    if (is_seeded(mutant::m7_woken_before_poison) && error != 0) {
        wake_covered(true);
        mutex_.unlock();
        os::yield_processor();
        mutex_.lock();
    }
    if (error != 0) keep_first_error(error);
    // Whoever failed meanwhile (a checkpointer's sync) may have taken this one's error.
    const bool failed = poisoned_by() != 0;
    if (!failed) {
        if (covered.number > durable_.number) durable_ = covered;
        syncs_.fetch_add(1, std::memory_order_relaxed);
    }
    wake_covered(failed);
}

void sync_group::note_synced(const point& covered) noexcept {
    const mutex_lock lock(mutex_);
    if (poisoned_by() != 0 || covered.number <= durable_.number) return;
    durable_ = covered;
    wake_covered(false);
}

void sync_group::keep_first_error(int error) noexcept {
    int none = 0;
    error_.compare_exchange_strong(none, error, std::memory_order_acq_rel);
}

/// Wakes all that are done, and the first of those that are not: it leads next.
void sync_group::wake_covered(bool all) noexcept {
    waiting** place = &front_;
    bool leader_found = false;
    end_ = &front_;
    while (*place != nullptr) {
        waiting& each = **place;
        const bool done = all || each.wanted <= durable_.number;
        if (!done && leader_found) {
            place = &each.next;
            end_ = place;
            continue;
        }
        leader_found = leader_found || !done;
        *place = each.next;  // before it may run on: it is on its caller's stack
        const auto* word = &each.awake;
        each.awake.store(1, std::memory_order_release);
        passes(delay_point::sync_wakes);
        os::wake_one(word);
    }
}

void sync_group::poison(int error) noexcept {
    const mutex_lock lock(mutex_);
    keep_first_error(error);
    wake_covered(true);
}

}  // namespace skiff::vfs
