// One caller's limits while their work runs on a shared connection: a deadline, a stop token and
// the time that locks of other programs may take. Bound to the operation, so that it never stops a
// neighbour's (sqlite3_interrupt would hit whatever runs at that moment).
#pragma once

#include "core/connection_state.hpp"

#include <skiff/deadline.hpp>

#include <chrono>
#include <stop_token>

namespace skiff::detail {

/// How long a caller will wait, and what else ends its patience.
struct wait_limits {
    skiff::deadline until = {};
    std::stop_token stop = {};

    [[nodiscard]] bool are_over() const noexcept {
        return stop.stop_requested() || until.has_passed();
    }
};

/// In force from construction to destruction. One thread at a time, together with its connection.
struct operation {
    operation(connection_state& on, const skiff::deadline& until, std::stop_token stopped_by);
    ~operation();
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    [[nodiscard]] bool must_stop() const noexcept {
        return stop.stop_requested() || deadline.has_passed();
    }
    [[nodiscard]] bool limited() const noexcept {
        return deadline.is_set() || stop.stop_possible();
    }

    connection_state& connection;
    skiff::deadline deadline;
    std::stop_token stop;
};

/// Installs the busy handler that respects the operation in force: short, growing pauses up to the
/// connection's busy_timeout, cut by the operation's limits.
void install_busy_handler(connection_state& connection);

/// BEGIN IMMEDIATE of a connection that has this busy handler: where our VFS has the file, it waits
/// in the VFS's line of writers, before it holds a read mark that a checkpoint would wait for. An
/// SQLite code.
int begin_in_line(connection_state& connection) noexcept;

/// Throws `timeout` or `interrupted` for an operation that had not begun its work.
[[noreturn]] void throw_not_started(const skiff::deadline& until, const char* waiting_for);

}  // namespace skiff::detail
