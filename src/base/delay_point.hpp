// Places between two steps that other threads or processes may come between, by name: a test holds
// threads up there (tests/support/delays.hpp), so that rare orders become frequent. In a build
// without assertions nothing is left of them.
#pragma once

#ifndef NDEBUG
#include <atomic>
#endif

namespace skiff {

enum class delay_point : int {
    // Locks of the wal-index (slot_table): marks of readers, gates, and what the kernel knows.
    reader_marked,
    reader_refused,
    reader_gone,
    byte_uncovered,
    gate_shut,
    readers_looked_at,
    gate_opens,
    alone_granted,
    alone_flag_gone,
    alone_byte_given_back,
    leftovers_uncovered,
    timer_looks,
    // Attaching to the wal-index and leaving it.
    index_opened,
    index_emptied,
    index_left,
    // The writers' turn.
    turn_wanted,
    turn_sleeps,
    turn_given_back,
    turn_before_lock,
    lock_before_turn,
    // A commit and its sync.
    frames_gathered,
    frames_written,
    commit_published,
    sync_leads,
    sync_covers,
    sync_ended,
    sync_waits,
    sync_wakes,
    commit_synced,
    // The governor.
    governor_copied,
    governor_agreed,
    governor_stops,
    // Callers of a database, before its writer and its readers.
    batch_ends,
    reader_awaited,
    reader_freed,
    count
};

#ifndef NDEBUG
inline constexpr bool has_delay_points = true;
/// Called by each thread that passes a point; null when nobody asked.
inline std::atomic<void (*)(delay_point) noexcept> delay_hook{nullptr};

inline void passes(delay_point where) noexcept {
    if (auto* hook = delay_hook.load(std::memory_order_relaxed)) [[unlikely]]
        hook(where);
}
#else
inline constexpr bool has_delay_points = false;

constexpr void passes(delay_point) noexcept {}
#endif

}  // namespace skiff
