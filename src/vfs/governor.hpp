// Keeps a log short: checkpoints a database from a thread of its own, through the writers' line, so
// that no committing thread pays for it and readers that come and go cannot make the log grow
// without end (rule B23). The thread starts when the log is first long enough and ends with the
// database.
#pragma once

#include "base/mutex.hpp"
#include "vfs/status.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct sqlite3;

namespace skiff::vfs {

class main_file;
class observation;

struct governor_counters {
    std::atomic<std::uint64_t> checkpoints{0};
    std::atomic<std::uint64_t> resets{0};     ///< the next commit began a new log
    std::atomic<std::uint64_t> held_back{0};  ///< a reader kept the log from being reset
    std::atomic<std::uint64_t> longest_us{0};
};

/// Thread-safe. stop() by whoever owns it, before it dies.
class governor {
  public:
    /// Length from which the log is copied into the database, and to which it is held.
    static constexpr std::int64_t begin_bytes = std::int64_t{4} << 20;
    static constexpr std::int64_t target_bytes = std::int64_t{8} << 20;
    /// Beyond this, commits are synced one by one until a reset was possible.
    static constexpr std::int64_t hard_limit_bytes = std::int64_t{64} << 20;

    governor(std::string path, observation& observers)
        : path_(std::move(path)), observers_(observers) {}
    ~governor();
    governor(const governor&) = delete;
    governor& operator=(const governor&) = delete;

    /// A commit ended at `bytes` of the log.
    void note_commit(std::int64_t bytes) noexcept {
        log_bytes_.store(bytes, std::memory_order_relaxed);
        if (bytes >= wake_at_.load(std::memory_order_relaxed)) [[unlikely]]
            wake(bytes);
    }
    /// Whether those who commit should wait for it: the log is far too long.
    [[nodiscard]] bool is_awaited() const noexcept {
        return awaited_.load(std::memory_order_relaxed);
    }
    /// Whether a checkpoint of it begins or goes on: what others would begin now need not wait.
    [[nodiscard]] bool is_at_work() const noexcept {
        return at_work_.load(std::memory_order_relaxed);
    }
    /// Never checkpoints from now on: somebody else does.
    void turn_off() noexcept SKIFF_EXCLUDES(mutex_);
    [[nodiscard]] bool is_on() noexcept SKIFF_EXCLUDES(mutex_);
    /// Ends the thread, and its connection; a later commit starts it again.
    void stop() noexcept SKIFF_EXCLUDES(mutex_);
    /// Calls the hook about once a second while readers hold the log; one for each open file. An
    /// SQLite code.
    int set_alarm(const main_file& owner, const log_alarm_hook& hook) noexcept
        SKIFF_EXCLUDES(alarm_guard_);
    /// When it returns, no call of the owner's hook runs or will.
    void clear_alarm(const main_file& owner) noexcept SKIFF_EXCLUDES(alarm_guard_);
    [[nodiscard]] const governor_counters& counters() const noexcept { return counters_; }
    /// Whether this thread is a governor opening its connection.
    [[nodiscard]] static bool is_opening() noexcept;

  private:
    void wake(std::int64_t bytes) noexcept SKIFF_EXCLUDES(mutex_);
    void run() SKIFF_EXCLUDES(mutex_);
    /// False when the log is still longer than it should be.
    bool checkpoint() noexcept SKIFF_EXCLUDES(mutex_);
    int checkpoint_with(sqlite3* connection) noexcept;
    int restart_log(sqlite3* connection) noexcept;
    void note_held_back(sqlite3* connection) noexcept SKIFF_EXCLUDES(alarm_guard_);
    void count(std::uint64_t took_us) noexcept;

    const std::string path_;
    observation& observers_;
    governor_counters counters_;
    std::atomic<std::int64_t> wake_at_{begin_bytes};
    std::atomic<std::int64_t> log_bytes_{0};
    std::atomic<bool> at_work_{false};
    std::atomic<bool> awaited_{false};
    std::chrono::steady_clock::time_point await_again_at_{};  ///< the thread's own
    mutex alarm_guard_;                                       ///< also held while hooks run
    std::vector<std::pair<const main_file*, log_alarm_hook>> alarms_ SKIFF_GUARDED_BY(alarm_guard_);
    /// Since then, or since the last alarm; the thread's own.
    std::chrono::steady_clock::time_point held_back_since_{};
    mutex starting_;  ///< held while the thread is made or joined
    mutex mutex_;
    condition changed_;
    bool stopping_ SKIFF_GUARDED_BY(mutex_) = false;
    bool asked_ SKIFF_GUARDED_BY(mutex_) = false;
    bool off_ SKIFF_GUARDED_BY(mutex_) = false;
    sqlite3* busy_with_ SKIFF_GUARDED_BY(mutex_) = nullptr;  ///< for stop() to interrupt
    std::thread thread_ SKIFF_GUARDED_BY(starting_);
};

}  // namespace skiff::vfs
