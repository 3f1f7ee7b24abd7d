// Progress and busy handlers of an operation.
#include "core/operation.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace skiff::detail {

namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// Virtual machine steps between looks at the clock: some tens of microseconds.
constexpr int progress_steps = 1000;
/// First and longest pause while another program holds a lock.
constexpr microseconds pause_min{50};
constexpr microseconds pause_max{5000};

/// Skiff's own BEGIN, COMMIT and ROLLBACK are never cut: they end what a cut left behind.
int check_progress(void* context) noexcept {
    const auto& running = *static_cast<const operation*>(context);
    return running.connection.internal_depth == 0 && running.must_stop() ? 1 : 0;
}

int wait_for_lock(void* context, int calls_before) noexcept {
    auto& connection = *static_cast<connection_state*>(context);
    const auto now = steady_clock::now();
    if (calls_before == 0) {
        const bool waited_before = connection.waits_since != steady_clock::time_point{};
        connection.busy_since = waited_before ? connection.waits_since : now;
    }
    const auto* limits = connection.current_operation;
    auto until = connection.busy_since + connection.options.busy_timeout;
    if (limits != nullptr) {
        if (limits->must_stop()) return 0;
        until = std::min(until, limits->deadline.at());
    }
    if (now >= until) return 0;
    const auto grown = pause_min * (1 << std::min(calls_before, 7));
    std::this_thread::sleep_for(
        std::min<steady_clock::duration>(std::min(grown, pause_max), until - now));
    return 1;
}

}  // namespace

operation::operation(connection_state& on, const skiff::deadline& until, std::stop_token stopped_by)
    : connection(on), deadline(until), stop(std::move(stopped_by)) {
    if (!limited()) return;
    connection.current_operation = this;
    sqlite3_progress_handler(connection.db, progress_steps, check_progress, this);
}

operation::~operation() {
    if (!limited()) return;
    connection.current_operation = nullptr;
    sqlite3_progress_handler(connection.db, 0, nullptr, nullptr);
}

void install_busy_handler(connection_state& connection) {
    sqlite3_busy_handler(connection.db, wait_for_lock, &connection);
}

void throw_not_started(const skiff::deadline& until, const char* waiting_for) {
    const bool late = until.has_passed();
    throw_error({.code = late ? errc::timeout : errc::interrupted,
                 .message = std::string(late ? "the deadline passed" : "a stop was requested") +
                            " while waiting for " + waiting_for,
                 .operation = "wait",
                 .advice = "nothing was done"});
}

}  // namespace skiff::detail
