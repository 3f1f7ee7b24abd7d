// A passive checkpoint first, which is in nobody's way. When the log is over its target, one that
// stands in the writers' line and makes the next commit begin the log anew.
#include "vfs/governor.hpp"

#include "base/delay_point.hpp"
#include "vfs/mutant.hpp"
#include "vfs/observation.hpp"
#include "vfs/registry.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

namespace skiff::vfs {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
/// Between attempts while readers hold the log.
constexpr milliseconds retry_pause{20};
/// For how long the log is held back before an alarm, and the next one.
constexpr milliseconds alarm_pause{1000};
/// How long a checkpoint waits for writers and readers at a time.
constexpr int patience_ms = 100;
/// Commits between looks at a log that is short enough.
constexpr std::int64_t step_bytes = std::int64_t{4} << 20;

thread_local bool opening_here = false;

}  // namespace

governor::~governor() {
    stop();
}

bool governor::is_opening() noexcept {
    return opening_here;
}

void governor::turn_off() noexcept {
    wake_at_.store(never, std::memory_order_relaxed);
    const mutex_lock lock(mutex_);
    off_ = true;
}

bool governor::is_on() noexcept {
    const mutex_lock lock(mutex_);
    return !off_;
}

void governor::wake(std::int64_t bytes) noexcept {
    wake_at_.store(never, std::memory_order_relaxed);  // until it has had its turn
    {
        const mutex_lock lock(mutex_);
        if (off_) return;
        asked_ = true;
        changed_.notify_one();
    }
    const mutex_lock lock(starting_);
    if (thread_.joinable()) return;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        wake_at_.store(bytes + step_bytes, std::memory_order_relaxed);  // no thread now: later
    }
}

void governor::stop() noexcept {
    const mutex_lock starting(starting_);
    if (!thread_.joinable()) return;
    {
        const mutex_lock lock(mutex_);
        stopping_ = true;
        if (busy_with_ != nullptr) sqlite3_interrupt(busy_with_);
        changed_.notify_one();
    }
    passes(delay_point::governor_stops);
    thread_.join();
    const mutex_lock lock(mutex_);
    stopping_ = false;
    asked_ = false;
    if (!off_) wake_at_.store(begin_bytes, std::memory_order_relaxed);
}

void governor::run() {
    for (bool short_enough = true;;) {
        {
            const mutex_lock lock(mutex_);
            if (!short_enough && !stopping_) {
                changed_.wait_until(mutex_, steady_clock::now() + retry_pause);
            }
            while (short_enough && !asked_ && !stopping_) changed_.wait(mutex_);
            if (stopping_) return;
            asked_ = false;
        }
        short_enough = checkpoint();
    }
}

bool governor::checkpoint() noexcept {
    const auto started = steady_clock::now();
    sqlite3* connection = nullptr;
    opening_here = true;
    int code = sqlite3_open_v2(path_.c_str(), &connection,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs_name);
    opening_here = false;
    sqlite3_busy_timeout(connection, patience_ms);
    if (sqlite3_compileoption_used("ENABLE_SETLK_TIMEOUT") == 0) {
        // A host that never says how long its connections wait: this one stands in line all the
        // same.
        int wait_ms = patience_ms;
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_LOCK_TIMEOUT, &wait_ms);
    }
    if (code == SQLITE_OK) {
        // Opens the log too; the statement is read-only.
        code = sqlite3_exec(connection, "pragma schema_version", nullptr, nullptr, nullptr);
    }
    {
        const mutex_lock lock(mutex_);
        busy_with_ = connection;
        if (stopping_) sqlite3_interrupt(connection);
    }
    const bool is_far_behind = log_bytes_.load(std::memory_order_relaxed) >= 2 * target_bytes;
    awaited_.store(is_far_behind && started >= await_again_at_, std::memory_order_relaxed);
    at_work_.store(true, std::memory_order_relaxed);
    if (code == SQLITE_OK) code = checkpoint_with(connection);
    at_work_.store(false, std::memory_order_relaxed);
    if (awaited_.exchange(false, std::memory_order_relaxed) && code != SQLITE_OK) {
        // It may be a reader that holds the log: nobody waits for that most of the time.
        constexpr int pause_factor = 10;
        const auto now = steady_clock::now();
        await_again_at_ = now + pause_factor * (now - started);
    }
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        note_held_back(connection);
    } else {
        held_back_since_ = {};
    }
    {
        const mutex_lock lock(mutex_);
        busy_with_ = nullptr;
    }
    sqlite3_close(connection);
    const auto took = steady_clock::now() - started;
    count(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
    const std::int64_t bytes = log_bytes_.load(std::memory_order_relaxed);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        counters_.held_back.fetch_add(1, std::memory_order_relaxed);
        if (bytes >= target_bytes) return false;
    }
    wake_at_.store(std::max(begin_bytes, bytes + step_bytes), std::memory_order_relaxed);
    return true;
}

int governor::checkpoint_with(sqlite3* connection) noexcept {
    int frames = 0;
    int copied = 0;
    int code =
        sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
    if (code != SQLITE_OK) return code;
    passes(delay_point::governor_copied);
    if (log_bytes_.load(std::memory_order_relaxed) < target_bytes) return SQLITE_OK;
    const bool agreed = observers_.may_restart();
    if (!agreed && !is_seeded(mutant::s29_restart_not_agreed)) return SQLITE_BUSY;
    passes(delay_point::governor_agreed);
    code = restart_log(connection);
    if (code != SQLITE_OK) return code;
    counters_.resets.fetch_add(1, std::memory_order_relaxed);
    log_bytes_.store(0, std::memory_order_relaxed);
    return SQLITE_OK;
}

/// While others are to wait for it, one refusal is not the end: they finish first what they have
/// begun, in the pauses between attempts.
int governor::restart_log(sqlite3* connection) noexcept {
    constexpr milliseconds pause_max{16};
    for (milliseconds pause{1};; pause *= 2) {
        const int code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_RESTART,
                                                   nullptr, nullptr);
        if (code != SQLITE_BUSY || !is_awaited() || pause > pause_max) return code;
        std::this_thread::sleep_for(pause);
    }
}

void governor::note_held_back(sqlite3* connection) noexcept {
    const auto now = steady_clock::now();
    if (held_back_since_ == steady_clock::time_point{}) held_back_since_ = now;
    const std::int64_t bytes = log_bytes_.load(std::memory_order_relaxed);
    vfs_status status;  // also looks at readers, so that their age is known next time
    const int code = sqlite3_file_control(connection, "main", fcntl_status, &status);
    if (code != SQLITE_OK || bytes < target_bytes || now - held_back_since_ < alarm_pause) return;
    held_back_since_ = now;
    const held_back_log found{path_.c_str(), bytes, status.oldest_read_us};
    const mutex_lock lock(alarm_guard_);
    for (const auto& [owner, hook] : alarms_) hook.call(hook.context, found);
}

int governor::set_alarm(const main_file& owner, const log_alarm_hook& hook) noexcept try {
    clear_alarm(owner);
    const mutex_lock lock(alarm_guard_);
    if (hook.call != nullptr) alarms_.emplace_back(&owner, hook);
    return SQLITE_OK;
} catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
}

void governor::clear_alarm(const main_file& owner) noexcept {
    const mutex_lock lock(alarm_guard_);
    std::erase_if(alarms_, [&](const auto& each) { return each.first == &owner; });
}

void governor::count(std::uint64_t took_us) noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    counters_.checkpoints.fetch_add(1, relaxed);
    counters_.longest_us.store(std::max(counters_.longest_us.load(relaxed), took_us), relaxed);
}

}  // namespace skiff::vfs
