// Memory order: taking a reader is an acquire, giving it back a release, so what one holder did to
// the connection is seen by the next. `waiting_` and the readers' states form a handshake (a waiter
// announces itself, then looks at the states; a giver frees its reader, then looks for waiters)
// which needs the total order of seq_cst: with less, each could miss the other.
#include "pool/reader_set.hpp"

#include "base/assert.hpp"
#include "base/delay_point.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace skiff::detail {

namespace {

/// Between hand-overs to whoever waits longest. A reader that is handed to a sleeping thread is
/// used by nobody until that runs, which takes longer than a read: handed over each time, 64
/// threads on 2 processors read a tenth as much (skiff-bench, "64 threads, each reads one row by
/// key").
constexpr std::chrono::milliseconds hand_over_pause{1};

std::atomic<std::uint64_t> sets_made{0};
std::atomic<std::uint64_t> threads_seen{0};
/// Unlike an address, never used again by a later thread.
thread_local const std::uint64_t this_thread = threads_seen.fetch_add(1) + 1;

/// Where this thread found its last reader.
struct hint {
    std::uint64_t set = 0;
    std::size_t index = 0;
};
thread_local hint last_taken;

}  // namespace

reader_set::reader_set(std::size_t readers_max, opener open_one)
    : id_(sets_made.fetch_add(1) + 1), open_one_(std::move(open_one)), readers_(readers_max) {}

reader_set::~reader_set() {
    SKIFF_ASSERT(extras_.load() == 0,
                 "a database was destroyed while a snapshot or call still used it");
    for ([[maybe_unused]] const auto& each : readers_) {
        SKIFF_ASSERT(each.now.load() != reader::state::leased,
                     "a database was destroyed while a snapshot or call still used it");
    }
}

bool reader_set::try_take(reader& wanted, reader::state from) noexcept {
    if (!wanted.now.compare_exchange_strong(from, reader::state::leased)) return false;
    wanted.holder.store(this_thread, std::memory_order_relaxed);
    return true;
}

reader& reader_set::take(const wait_limits& limits, bool leads_writer) {
    if (last_taken.set == id_) [[likely]] {
        reader& last = readers_[last_taken.index];
        if (try_take(last)) [[likely]]
            return last;
    }
    reader* found = take_free();
    if (found == nullptr) found = take_unopened();
    if (found == nullptr) {
        if (leads_writer || this_thread_holds_one()) return open_extra(limits);
        found = &wait_for_one(limits);
    }
    if (!found->opened) open(*found, limits);
    last_taken = {id_, static_cast<std::size_t>(found - readers_.data())};
    return *found;
}

bool reader_set::this_thread_holds_one() const noexcept {
    return std::ranges::any_of(readers_, [](const reader& each) {
        return each.now.load() == reader::state::leased &&
               each.holder.load(std::memory_order_relaxed) == this_thread;
    });
}

reader* reader_set::take_free() {
    // Threads start at different places, so that they do not all try the first reader.
    const std::size_t count = readers_.size();
    const std::size_t start = reinterpret_cast<std::uintptr_t>(&last_taken) / 4096 % count;
    for (std::size_t i = 0; i < count; ++i) {
        reader& each = readers_[(start + i) % count];
        if (try_take(each)) return &each;
    }
    return nullptr;
}

reader* reader_set::take_unopened() {
    for (auto& each : readers_) {
        if (try_take(each, reader::state::unopened)) return &each;
    }
    return nullptr;
}

void reader_set::open(reader& leased, const wait_limits& limits) {
    try {
        leased.opened = std::make_unique<connection>(open_one_(limits));
    } catch (...) {
        give_back(leased);  // the next in line tries for itself
        throw;
    }
    leased.inner = &connection_state::of(*leased.opened);
    leased.guard.emplace(*leased.inner);
    leased.functions_applied = 0;
    opened_.fetch_add(1, std::memory_order_relaxed);  // a figure: orders nothing
}

reader& reader_set::open_extra(const wait_limits& limits) {
    auto& made = *new reader;
    made.extra = true;
    made.now.store(reader::state::leased);
    extras_.fetch_add(1);
    open(made, limits);  // on an error it is given back, which deletes it
    return made;
}

reader& reader_set::wait_for_one(const wait_limits& limits) {
    const auto& until = limits.until;
    const auto& stop = limits.stop;
    waiting mine{.thread = this_thread};
    const auto wake = [this, &mine] {
        const mutex_lock lock(mutex_);
        mine.signal.notify_one();
    };
    std::optional<std::stop_callback<decltype(wake)>> on_stop;
    if (stop.stop_possible()) on_stop.emplace(stop, wake);

    reader* found = nullptr;
    {
        const mutex_lock lock(mutex_);
        (back_ != nullptr ? back_->next : front_) = &mine;
        back_ = &mine;
        waiting_.fetch_add(1);
        waited_.fetch_add(1, std::memory_order_relaxed);
        passes(delay_point::reader_awaited);
        while (mine.handed == nullptr) {
            // Before the look: whoever frees one after it wakes us again. If others wait before us,
            // it is theirs.
            mine.woken = false;
            if (front_ == &mine) found = take_free();
            if (found != nullptr || until.has_passed() || stop.stop_requested()) break;
            if (until.is_set()) {
                mine.signal.wait_until(mutex_, until.at());
            } else {
                mine.signal.wait(mutex_);
            }
        }
        if (mine.handed == nullptr) {
            unlink(mine);
            wake_first();  // there may be another free one
        } else {
            found = mine.handed;
        }
    }
    on_stop.reset();  // outside of the mutex, which its callback may be waiting for
    if (found == nullptr) throw_not_started(until, "a reader connection");
    return *found;
}

void reader_set::close_extra(reader& held) noexcept {
    held.guard.reset();
    if (held.opened) opened_.fetch_sub(1, std::memory_order_relaxed);
    held.opened.reset();
    delete &held;
    extras_.fetch_sub(1);
}

void reader_set::unlink(waiting& mine) noexcept {
    waiting* before = nullptr;
    for (auto* at = front_; at != &mine; at = at->next) before = at;
    (before != nullptr ? before->next : front_) = mine.next;
    if (back_ == &mine) back_ = before;
    waiting_.fetch_sub(1);
}

void reader_set::wake_first() noexcept {
    if (front_ == nullptr || std::exchange(front_->woken, true)) return;
    front_->signal.notify_one();
}

void reader_set::give_back(reader& held) noexcept {
    if (held.extra) [[unlikely]] {
        close_extra(held);
        return;
    }
    held.holder.store(0, std::memory_order_relaxed);  // before the next one may take it
    held.now.store(reader::state::idle);
    passes(delay_point::reader_freed);
    if (waiting_.load() == 0) [[likely]]
        return;
    const mutex_lock lock(mutex_);
    if (front_ == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - handed_at_ < hand_over_pause) {
        // Whoever has a processor may take it first.
        wake_first();
        return;
    }
    if (!try_take(held)) return;
    handed_at_ = now;
    waiting& first = *front_;
    held.holder.store(first.thread, std::memory_order_relaxed);
    unlink(first);
    wake_first();  // one that was freed before may be there still
    first.handed = &held;
    first.signal.notify_one();
}

void reader_set::close() {
    for (auto& each : readers_) {
        if (each.now.load() == reader::state::leased || extras_.load() > 0) {
            throw_error({.code = errc::busy,
                         .message = "a reader is still in use",
                         .operation = "close",
                         .advice = "destroy snapshots and let other threads' calls return first"});
        }
    }
    for (auto& each : readers_) {
        each.guard.reset();
        if (each.opened) {
            each.opened->close();
            opened_.fetch_sub(1, std::memory_order_relaxed);
        }
        each.opened.reset();
        each.inner = nullptr;
        each.now.store(reader::state::unopened);
    }
}

}  // namespace skiff::detail
