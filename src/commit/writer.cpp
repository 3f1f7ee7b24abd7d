// Leading: taking callers into a batch while it runs, within its bounds.
#include "commit/writer.hpp"

#include "commit/batch.hpp"
#include "core/error_map.hpp"
#include "core/operation.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <utility>

namespace skiff::detail {

namespace {

thread_local const void* innermost_leading = nullptr;

std::exception_ptr closed_error() {
    try {
        throw_closed("the writer's connection");
    } catch (...) {
        return std::current_exception();
    }
}

}  // namespace

writer::leading::leading(const writer& running) noexcept
    : running_(&running), outer_(static_cast<const leading*>(innermost_leading)) {
    innermost_leading = this;
}

writer::leading::~leading() {
    innermost_leading = outer_;
}

bool writer::leading::is_inside(const writer& asked) noexcept {
    for (auto* at = static_cast<const leading*>(innermost_leading); at != nullptr;
         at = at->outer_) {
        if (at->running_ == &asked) return true;
    }
    return false;
}

writer::writer(connection opened, batch_limits limits)
    : connection_(std::move(opened)), state_(connection_state::of(connection_)), limits_(limits) {
    install_busy_handler(state_);
    guard_ = std::make_unique<sql_guard>(state_);
    state_.guards_transaction = true;
    state_.is_lent = true;
}

writer::~writer() = default;

void writer::close() {
    if (lost_) return;
    guard_.reset();
    state_.is_lent = false;
    try {
        connection_.close();
    } catch (...) {
        guard_ = std::make_unique<sql_guard>(state_);  // it stays open, so it stays guarded
        state_.is_lent = true;
        throw;
    }
}

std::uint64_t writer::submit(write_unit& unit) {
    waiter mine;
    mine.unit = &unit;
    mine.deadline = unit.deadline;
    mine.stop = unit.stop;
    enter(mine);
    return mine.commit_sequence;
}

void writer::submit_exclusive(void (*run)(void* context, connection& opened),
                              void* context,
                              const skiff::deadline& until) {
    waiter mine;
    mine.exclusive = run;
    mine.exclusive_context = context;
    mine.deadline = until;
    enter(mine);
}

void writer::enter(waiter& mine) {
    if (leading::is_inside(*this)) {
        throw_error({.code = errc::misuse,
                     .message = "a write was started from inside a write closure of the same "
                                "database: it would wait for itself",
                     .operation = "write",
                     .advice = "use the closure's transaction"});
    }
    if (queue_.wait_turn(mine)) {
        const waiter* last = &mine;
        if (lost_) {
            mine.failure = closed_error();
        } else if (mine.unit == nullptr) {
            run_exclusive(mine);
        } else {
            last = &run_batch(mine);
        }
        if (!lost_) note_statements();
        queue_.finish(mine, *last);
    }
    if (mine.failure) std::rethrow_exception(std::exchange(mine.failure, nullptr));
}

/// Runs the leader's unit and those of callers behind it while they fit; returns the last taken.
const waiter& writer::run_batch(waiter& leader) {
    const auto started = std::chrono::steady_clock::now();
    batch work(*this);
    batch_mix mix;
    for (waiter* at = &leader;;) {
        mix.add(*at);
        if (!work.run(*at)) return *at;
        mix.note_schema(can_roll_back_);
        const bool full = mix.count() >= limits_.callers_max ||
                          std::chrono::steady_clock::now() - started >= limits_.time_max;
        waiter* next = full ? nullptr : queue_.take_next(*at, mix);
        if (next == nullptr) {
            work.commit();
            return *at;
        }
        at = next;
    }
}

void writer::look_at_schema() {
    if (!guard_->schema_changed()) return;
    can_roll_back_ = schema_can_roll_back(state_);
    guard_->note_schema_seen();
}

void writer::begin_transaction(const waiter& caller) {
    const auto started = std::chrono::steady_clock::now();
    if (locked_out_since_) state_.waits_since = std::max(*locked_out_since_, caller.arrived);
    const int code = begin_in_line(state_);
    state_.waits_since = {};
    if ((code & 0xff) != SQLITE_BUSY) {
        locked_out_since_.reset();
    } else if (!locked_out_since_) {
        locked_out_since_ = started;
    }
    const auto* limits = state_.current_operation;
    if ((code & 0xff) == SQLITE_BUSY && limits != nullptr && limits->must_stop()) {
        throw_not_started(caller.deadline, "the write lock");
    }
    if (code != SQLITE_OK) throw_sql_error(state_, code, "BEGIN IMMEDIATE");
    try {
        look_at_schema();
    } catch (...) {
        if (state_.in_transaction()) state_.try_run(internal_sql::rollback);
        throw;
    }
}

void writer::run_exclusive(waiter& mine) {
    const auto life = state_.life;
    guard_->set_open(true);
    state_.guards_transaction = false;
    try {
        const operation limits(state_, mine.deadline, mine.stop);
        const leading mark(*this);
        if (limits.must_stop()) throw_not_started(mine.deadline, "the writer");
        mine.exclusive(mine.exclusive_context, connection_);
    } catch (...) {
        mine.failure = std::current_exception();
    }
    try {
        if (!connection_.is_open()) {
            lose_connection(life->connection != nullptr);
        } else {
            take_back_connection();
        }
    } catch (...) {
        if (!mine.failure) mine.failure = std::current_exception();
    }
}

/// Makes the connection again what a shared transaction needs; throws what was wrong with it.
void writer::take_back_connection() {
    const bool left_open = state_.in_transaction();
    const bool left_blobs = state_.open_blobs > 0;
    state_.end_running_statements();
    if (state_.in_transaction()) state_.try_run(internal_sql::rollback);
    // What was prepared while everything was allowed must not be found by a closure, and nothing
    // that was made from the connection may reach it any more.
    state_.cut_off_borrowers();
    state_.guards_transaction = true;
    guard_->set_open(false);
    if (!left_open && !left_blobs) return;
    throw_error({.code = errc::misuse,
                 .message = left_open
                                ? "the work left a transaction open; it was rolled back"
                                : "the work left a blob stream open; it must be closed before",
                 .operation = "write_without_transaction"});
}

/// Somebody moved the connection away: there is nothing left to write through.
void writer::lose_connection(bool is_alive) {
    if (is_alive) guard_.reset();
    lost_ = true;
    throw_error({.code = errc::misuse,
                 .message = "the work moved the writer's connection away; the database cannot "
                            "write any more",
                 .operation = "write_without_transaction",
                 .advice = "open the database again"});
}

void writer::note_statements() noexcept {
    const auto cache = state_.cache.stats();
    constexpr auto relaxed = std::memory_order_relaxed;
    counters_.statement_hits.store(cache.hits, relaxed);
    counters_.statement_misses.store(cache.misses, relaxed);
    counters_.statement_evictions.store(cache.evictions, relaxed);
    counters_.statements_kept.store(cache.size, relaxed);
}

void writer::note_commit(std::span<waiter* const> units) noexcept {
    const auto sequence = last_commit_.load(std::memory_order_relaxed) + 1;
    for (auto* unit : units) unit->commit_sequence = sequence;
    last_commit_.store(sequence, std::memory_order_release);
    constexpr auto relaxed = std::memory_order_relaxed;  // counters order nothing
    counters_.commits.fetch_add(1, relaxed);
    counters_.writes.fetch_add(units.size(), relaxed);
    const auto most = counters_.batch_writes_max.load(relaxed);
    counters_.batch_writes_max.store(std::max<std::uint64_t>(most, units.size()), relaxed);
}

}  // namespace skiff::detail
