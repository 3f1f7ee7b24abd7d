// Whose turn it is to take the WRITE lock, among the connections of this process. First come, first
// served, but whoever has a processor may go before a sleeper for a bounded time: handing over to a
// sleeping thread costs a context switch for each commit.
#pragma once

#include "base/mutex.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace skiff::vfs {

/// Thread-safe.
class write_turn {
  public:
    using clock = std::chrono::steady_clock;

    /// Waits for the turn; false when it was not had until then. The governor says that it is one.
    bool take(clock::time_point until, bool by_governor = false) noexcept SKIFF_EXCLUDES(mutex_);
    /// For one that may not wait for writers: takes the turn, after the governor when that has it.
    /// False when a writer has it or comes first, or the time is over.
    bool take_after_governor(clock::time_point until) noexcept SKIFF_EXCLUDES(mutex_);
    /// Takes it if it is free; one that could not wait lets those go first that do (rule C12).
    bool take_if_free(bool could_wait, bool by_governor = false) noexcept SKIFF_EXCLUDES(mutex_);
    bool try_take() noexcept SKIFF_EXCLUDES(mutex_) { return take_if_free(false); }
    void give_back() noexcept SKIFF_EXCLUDES(mutex_);
    /// Who has it, as far as they said: only compared (wait_graph).
    [[nodiscard]] const void* owner() const noexcept {
        return owner_.load(std::memory_order_acquire);
    }
    /// By whoever has the turn; giving it back forgets it.
    void set_owner(const void* connection) noexcept {
        owner_.store(connection, std::memory_order_release);
    }
    /// Whether somebody is in take_after_governor(), who may hold a read mark.
    [[nodiscard]] bool governor_is_awaited() const noexcept {
        return await_governor_.load(std::memory_order_relaxed) > 0;
    }
    /// Whether somebody has it or waits for it.
    [[nodiscard]] bool is_wanted() const noexcept {
        return wanted_.load(std::memory_order_relaxed) > 0;
    }
    [[nodiscard]] std::uint64_t waited() const noexcept {
        return waited_.load(std::memory_order_relaxed);
    }

  private:
    enum : std::uint32_t { asleep, woken, granted };
    struct waiting {
        clock::time_point since;
        std::atomic<std::uint32_t> state{asleep};
        waiting* next = nullptr;
        waiting* previous = nullptr;
        bool is_governor = false;
    };

    bool wait_in_line(clock::time_point until, bool by_governor) noexcept SKIFF_REQUIRES(mutex_);
    bool poll_after_governor(clock::time_point until) noexcept SKIFF_EXCLUDES(mutex_);
    void unlink(waiting& mine) noexcept SKIFF_REQUIRES(mutex_);

    std::atomic<int> wanted_{0};
    std::atomic<const void*> owner_{nullptr};
    std::atomic<int> await_governor_{0};
    std::atomic<std::uint64_t> waited_{0};
    mutex mutex_;
    bool taken_ SKIFF_GUARDED_BY(mutex_) = false;
    bool by_governor_ SKIFF_GUARDED_BY(mutex_) = false;
    waiting* front_ SKIFF_GUARDED_BY(mutex_) = nullptr;
    waiting* back_ SKIFF_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace skiff::vfs
