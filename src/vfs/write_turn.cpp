// A waiter is woken to try, or granted the turn outright once it has waited long enough. A grant
// that meets a timeout is consumed (rule C5).
#include "vfs/write_turn.hpp"

#include "base/delay_point.hpp"
#include "vfs/mutant.hpp"
#include "vfs/os.hpp"

#include <thread>

namespace skiff::vfs {

namespace {

/// For how long others may go before the one that waits longest. Measured: hand-over at once halves
/// the rate of unchanged writers, 20 ms costs them nothing (docs/internals/vfs.md).
constexpr std::chrono::milliseconds barging_max{20};
/// Between looks whether the governor is done.
constexpr std::chrono::microseconds governor_pause{200};

}  // namespace

void write_turn::unlink(waiting& mine) noexcept {
    (mine.previous != nullptr ? mine.previous->next : front_) = mine.next;
    (mine.next != nullptr ? mine.next->previous : back_) = mine.previous;
}

bool write_turn::take(clock::time_point until, bool by_governor) noexcept {
    wanted_.fetch_add(1, std::memory_order_relaxed);
    passes(delay_point::turn_wanted);
    bool taken = true;
    {
        const mutex_lock lock(mutex_);
        if (taken_) {
            taken = wait_in_line(until, by_governor);
        } else {
            taken_ = true;
        }
        if (taken) by_governor_ = by_governor;
    }
    if (!taken) wanted_.fetch_sub(1, std::memory_order_relaxed);
    return taken;
}

bool write_turn::wait_in_line(clock::time_point until, bool by_governor) noexcept {
    waited_.fetch_add(1, std::memory_order_relaxed);
    waiting me{.since = clock::now(), .previous = back_, .is_governor = by_governor};
    (back_ != nullptr ? back_->next : front_) = &me;
    back_ = &me;
    for (;;) {
        const bool late = clock::now() >= until;
        if (me.state.load(std::memory_order_relaxed) == granted) return true;
        if (!taken_ || late) {
            unlink(me);
            if (taken_ || (late && is_seeded(mutant::m16_wake_up_lost))) return false;
            taken_ = true;
            return true;
        }
        me.state.store(asleep, std::memory_order_relaxed);
        mutex_.unlock();
        passes(delay_point::turn_sleeps);
        os::sleep_while(me.state, asleep, until);
        mutex_.lock();
    }
}

bool write_turn::take_if_free(bool could_wait, bool by_governor) noexcept {
    const mutex_lock lock(mutex_);
    if (taken_ || (front_ != nullptr && !could_wait)) return false;
    taken_ = true;
    by_governor_ = by_governor;
    wanted_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

bool write_turn::take_after_governor(clock::time_point until) noexcept {
    if (take_if_free(false)) return true;
    if (is_seeded(mutant::s4_governor_is_heard)) return false;
    await_governor_.fetch_add(1, std::memory_order_relaxed);
    const bool taken = poll_after_governor(until);
    await_governor_.fetch_sub(1, std::memory_order_relaxed);
    return taken;
}

bool write_turn::poll_after_governor(clock::time_point until) noexcept {
    while (!take_if_free(false)) {
        {
            const mutex_lock lock(mutex_);
            const bool writer_is_next = front_ != nullptr && !front_->is_governor;
            if (taken_ ? !by_governor_ : writer_is_next) return false;
        }
        if (clock::now() >= until) return false;
        std::this_thread::sleep_for(governor_pause);
    }
    return true;
}

void write_turn::give_back() noexcept {
    wanted_.fetch_sub(1, std::memory_order_relaxed);
    set_owner(nullptr);
    const std::atomic<std::uint32_t>* word = nullptr;
    {
        const mutex_lock lock(mutex_);
        taken_ = false;
        if (front_ == nullptr) return;
        waiting& first = *front_;
        const bool waited_long =
            clock::now() - first.since > barging_max && !is_seeded(mutant::m17_barging_unlimited);
        if (waited_long) {
            unlink(first);
            taken_ = true;
            by_governor_ = first.is_governor;
            first.state.store(granted, std::memory_order_release);
            word = &first.state;
        } else if (first.state.load(std::memory_order_relaxed) == asleep) {
            first.state.store(woken, std::memory_order_release);
            word = &first.state;
        }
    }
    passes(delay_point::turn_given_back);
    if (word != nullptr) os::wake_one(word);
}

}  // namespace skiff::vfs
