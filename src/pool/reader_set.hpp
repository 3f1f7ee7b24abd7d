// The reader connections: bounded, leased one caller at a time. A thread that reads again finds the
// reader it had last time with one compare-and-swap; only when none is free does it stand in line.
//
// Nobody waits for a reader while others may be waiting for what it holds (a reader, or the lead of
// the writer): such a caller gets an extra connection instead. So waits cannot form a circle.
#pragma once

#include "base/mutex.hpp"
#include "commit/sql_guard.hpp"
#include "core/operation.hpp"

#include <skiff/connection.hpp>
#include <skiff/snapshot.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace skiff::detail {

/// One reader and who has it. Each on cache lines of its own, so that readers on different
/// processors do not slow each other down.
struct alignas(64) reader {
    enum class state : std::uint32_t { unopened, idle, leased };

    std::atomic<state> now{state::unopened};
    std::atomic<std::uint64_t> holder{0};  ///< number of the thread that took it last
    bool extra = false;                    ///< beyond the bound: closed when given back
    std::uint64_t functions_applied = 0;   ///< of the database's registry; the holder's
    std::unique_ptr<connection> opened;
    std::optional<sql_guard> guard;  ///< SQL of one caller must not change it for the next
    connection_state* inner = nullptr;
};

/// Thread-safe. Once in a millisecond at least the caller that waits longest is served; in between,
/// whoever comes first while it wakes up.
class reader_set {
  public:
    /// Opens a connection within the limits.
    using opener = std::function<connection(const wait_limits& limits)>;

    reader_set(std::size_t readers_max, opener open_one);
    ~reader_set();
    reader_set(const reader_set&) = delete;
    reader_set& operator=(const reader_set&) = delete;

    /// A reader for this thread alone; waits within the limits, throws `timeout` or `interrupted`.
    /// A caller that leads the writer does not wait.
    reader& take(const wait_limits& limits = {}, bool leads_writer = false) SKIFF_EXCLUDES(mutex_);
    void give_back(reader& held) noexcept SKIFF_EXCLUDES(mutex_);

    /// Closes all; throws errc::busy when one is leased.
    void close();
    [[nodiscard]] std::uint64_t waited() const noexcept {
        return waited_.load(std::memory_order_relaxed);
    }
    /// Connections open now, leased ones included.
    [[nodiscard]] int opened() const noexcept { return opened_.load(std::memory_order_relaxed); }
    /// Calls `look` on each open reader that is idle at the moment.
    template <class Look>
    void for_each_idle(Look&& look) {
        for (auto& each : readers_) {
            if (!try_take(each)) continue;
            if (each.opened) look(each);
            give_back(each);
        }
    }

  private:
    struct waiting {
        std::uint64_t thread;
        condition signal = {};
        reader* handed = nullptr;
        bool woken = false;
        waiting* next = nullptr;
    };

    static bool try_take(reader& wanted, reader::state from = reader::state::idle) noexcept;
    reader* take_free();
    reader* take_unopened();
    [[nodiscard]] bool this_thread_holds_one() const noexcept;
    void open(reader& leased, const wait_limits& limits);
    reader& open_extra(const wait_limits& limits);
    reader& wait_for_one(const wait_limits& limits) SKIFF_EXCLUDES(mutex_);
    void close_extra(reader& held) noexcept;
    void unlink(waiting& mine) noexcept SKIFF_REQUIRES(mutex_);
    void wake_first() noexcept SKIFF_REQUIRES(mutex_);

    const std::uint64_t id_;  ///< tells sets apart in the thread-local hints
    opener open_one_;
    std::vector<reader> readers_;
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::uint64_t> waited_{0};
    std::atomic<int> opened_{0};
    std::atomic<int> extras_{0};
    mutex mutex_;
    std::chrono::steady_clock::time_point handed_at_ SKIFF_GUARDED_BY(mutex_){};
    waiting* front_ SKIFF_GUARDED_BY(mutex_) = nullptr;
    waiting* back_ SKIFF_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace skiff::detail
