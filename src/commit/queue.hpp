// The line of callers in front of the writer. Each waits on its own stack; the front one leads,
// takes compatible ones behind it into its batch, and when done wakes them and the next front.
// It decides who waits and who goes together; running the work is writer's part.
#pragma once

#include "base/mutex.hpp"

#include <skiff/connection.hpp>
#include <skiff/detail/write_unit.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace skiff::detail {

/// A caller in the line. Lives on the caller's stack until the queue has let go of it.
struct waiter {
    // Exactly one of these is set.
    write_unit* unit = nullptr;
    void (*exclusive)(void* context, connection& writer) = nullptr;
    void* exclusive_context = nullptr;

    skiff::deadline deadline;
    std::stop_token stop;
    std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();

    // Set by the leader before it lets go.
    std::exception_ptr failure;
    std::uint64_t commit_sequence = 0;

    // The queue's own, under its mutex.
    enum class state { queued, taken, done };
    state at = state::queued;
    condition signal;
    waiter* next = nullptr;
    waiter* previous = nullptr;

    /// May take the whole transaction down when its statement is cut (an interrupted write rolls
    /// back everything), so it goes together only with callers that may run again.
    [[nodiscard]] bool can_be_cut() const noexcept {
        return deadline.is_set() || stop.stop_possible();
    }
    [[nodiscard]] bool alone() const noexcept { return unit == nullptr || unit->alone; }
    [[nodiscard]] bool repeatable() const noexcept { return unit != nullptr && unit->repeatable; }
};

/// Whether a caller may join a batch, from what is in it so far.
class batch_mix {
  public:
    /// Whether anybody's statement can roll the whole transaction back (rule D7).
    void note_schema(bool can_roll_back) noexcept { can_roll_back_ = can_roll_back; }
    [[nodiscard]] bool admits(const waiter& next) const noexcept {
        if (count_ == 0) return true;
        if (has_alone_ || next.alone()) return false;
        const bool cut = can_roll_back_ || any_cut_ || next.can_be_cut();
        return !cut || (all_repeatable_ && next.repeatable());
    }
    void add(const waiter& taken) noexcept {
        ++count_;
        has_alone_ = has_alone_ || taken.alone();
        any_cut_ = any_cut_ || taken.can_be_cut();
        all_repeatable_ = all_repeatable_ && taken.repeatable();
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

  private:
    std::size_t count_ = 0;
    bool has_alone_ = false;
    bool any_cut_ = false;
    bool can_roll_back_ = false;
    bool all_repeatable_ = true;
};

/// Thread-safe. First come, first served.
class write_queue {
  public:
    /// Stands in line until `mine` leads (true) or was done by another leader (false). Throws
    /// `timeout` or `interrupted` when its limits cut the wait; then nothing of it was done.
    bool wait_turn(waiter& mine) SKIFF_EXCLUDES(mutex_);

    /// For the leader: takes the caller behind `last` if the mix admits it, else null.
    waiter* take_next(const waiter& last, const batch_mix& mix) SKIFF_EXCLUDES(mutex_);
    /// For the leader: lets go of itself and of all it took, up to `last`, and makes the next
    /// caller lead.
    void finish(const waiter& leader, const waiter& last) SKIFF_EXCLUDES(mutex_);
    /// Callers in line, the leader and those it took included. Tests form batches by it.
    [[nodiscard]] std::size_t length() SKIFF_EXCLUDES(mutex_);

  private:
    void append(waiter& mine) noexcept SKIFF_REQUIRES(mutex_);
    void unlink(waiter& mine) noexcept SKIFF_REQUIRES(mutex_);
    void wait_signal(waiter& mine) SKIFF_REQUIRES(mutex_);

    mutex mutex_;
    waiter* front_ SKIFF_GUARDED_BY(mutex_) = nullptr;
    waiter* back_ SKIFF_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace skiff::detail
