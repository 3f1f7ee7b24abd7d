// The waiting, the taking and the waking. A waiter is on its caller's stack and may vanish as soon
// as the mutex is free after it was marked done, so it is signalled under the mutex.
#include "commit/queue.hpp"

#include "base/delay_point.hpp"
#include "core/operation.hpp"

#include <functional>
#include <optional>
#include <stop_token>

namespace skiff::detail {

void write_queue::append(waiter& mine) noexcept {
    mine.previous = back_;
    if (back_ != nullptr) {
        back_->next = &mine;
    } else {
        front_ = &mine;
    }
    back_ = &mine;
}

void write_queue::unlink(waiter& mine) noexcept {
    (mine.previous != nullptr ? mine.previous->next : front_) = mine.next;
    (mine.next != nullptr ? mine.next->previous : back_) = mine.previous;
}

void write_queue::wait_signal(waiter& mine) {
    if (mine.deadline.is_set() && mine.at == waiter::state::queued) {
        mine.signal.wait_until(mutex_, mine.deadline.at());
    } else {
        mine.signal.wait(mutex_);
    }
}

bool write_queue::wait_turn(waiter& mine) {
    const auto wake = [this, &mine] {
        const mutex_lock lock(mutex_);
        mine.signal.notify_one();
    };
    // Made before the mutex is taken: it runs at once when the stop was requested already.
    std::optional<std::stop_callback<decltype(wake)>> on_stop;
    if (mine.stop.stop_possible()) on_stop.emplace(mine.stop, wake);

    bool gave_up = false;
    bool leads = false;
    {
        const mutex_lock lock(mutex_);
        append(mine);
        while (mine.at != waiter::state::done && front_ != &mine) {
            // Once a leader has taken it, the work itself is cut, not the wait.
            gave_up = mine.at == waiter::state::queued &&
                      (mine.deadline.has_passed() || mine.stop.stop_requested());
            if (gave_up) break;
            wait_signal(mine);
        }
        if (gave_up) unlink(mine);
        leads = mine.at != waiter::state::done && !gave_up;
    }
    // The callback may be waiting for the mutex: it ends here, outside of it.
    on_stop.reset();
    if (gave_up) throw_not_started(mine.deadline, "the writer");
    return leads;
}

waiter* write_queue::take_next(const waiter& last, const batch_mix& mix) {
    const mutex_lock lock(mutex_);
    auto* next = last.next;
    if (next == nullptr || !mix.admits(*next)) return nullptr;
    next->at = waiter::state::taken;
    return next;
}

void write_queue::finish(const waiter& leader, const waiter& last) {
    const mutex_lock lock(mutex_);
    waiter* at = front_;
    front_ = last.next;
    if (front_ != nullptr) {
        front_->previous = nullptr;
    } else {
        back_ = nullptr;
    }
    // `next` is read before the waiter is let go: afterwards it may be gone.
    for (const waiter* end = front_; at != end;) {
        waiter& each = *at;
        at = each.next;
        each.at = waiter::state::done;
        if (&each != &leader) each.signal.notify_one();
    }
    passes(delay_point::batch_ends);
    if (front_ != nullptr) front_->signal.notify_one();
}

std::size_t write_queue::length() {
    const mutex_lock lock(mutex_);
    std::size_t count = 0;
    for (const waiter* at = front_; at != nullptr; at = at->next) ++count;
    return count;
}

}  // namespace skiff::detail
