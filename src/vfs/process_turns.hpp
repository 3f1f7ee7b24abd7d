// How the writers of this process leave room for those of other processes (rule C8). Those stand in
// no line: they ask for WRITE now and then, longer and longer apart, and a process that writes
// without a pause would hardly ever be found away. So time with WRITE is owed to the others, and
// given back in one piece that an asking process does find.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

namespace skiff::vfs {

/// Used by whoever holds WRITE or the turn; the counter by anyone.
class process_turns {
  public:
    using clock = std::chrono::steady_clock;
    using duration = clock::duration;

    /// WRITE was taken; whether the newest commit is another process's.
    void begin(bool others_wrote, clock::time_point now) noexcept {
        if (others_wrote) others_at_ = now;
        owed_ = std::max(owed_ - (now - changed_at_), duration::zero());
        changed_at_ = now;
    }
    /// WRITE was given back: for how long it should stay free. Mostly zero.
    [[nodiscard]] duration end(clock::time_point now) noexcept {
        owed_ += now - changed_at_;
        changed_at_ = now;
        const bool has_rival = now - others_at_ < rival_memory;
        if (owed_ < (has_rival ? rival_owed : unknown_owed)) return duration::zero();
        owed_ = duration::zero();
        return has_rival ? rival_pause : unknown_pause;
    }
    /// WRITE was found taken by another process, whose time with it begins: for how long it may go
    /// on before it is asked again. So it has its piece too, and not one commit only.
    [[nodiscard]] duration give_way() noexcept {
        return std::min<duration>(std::exchange(owed_, duration::zero()), rival_pause);
    }
    void count_pause() noexcept { pauses_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t pauses() const noexcept {
        return pauses_.load(std::memory_order_relaxed);
    }

  private:
    /// A process that wrote within this time will write again: SQLite's own pauses between two
    /// requests are 100 ms at most.
    static constexpr std::chrono::milliseconds rival_memory{250};
    /// With a rival WRITE is free for half of the time; not in smaller pieces, which would be
    /// missed, nor in larger ones, which would be felt.
    static constexpr std::chrono::milliseconds rival_owed{1};
    static constexpr std::chrono::milliseconds rival_pause{1};
    /// Others are there and perhaps only look: a hundredth of the time.
    static constexpr std::chrono::milliseconds unknown_owed{5};
    static constexpr std::chrono::microseconds unknown_pause{50};

    clock::time_point others_at_{};
    clock::time_point changed_at_{};
    duration owed_{};
    std::atomic<std::uint64_t> pauses_{0};
};

}  // namespace skiff::vfs
