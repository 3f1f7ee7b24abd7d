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
/// Between looks at limits while the VFS waits: longer than writers are let past (write_turn.cpp).
constexpr std::chrono::milliseconds slice_max{50};

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

/// Makes the next request for the write lock wait so long in the VFS, or a slice of it.
void wait_in_vfs([[maybe_unused]] connection_state& connection,
                 [[maybe_unused]] steady_clock::duration left) noexcept {
#if SQLITE_VERSION_NUMBER >= 3050000
    if (!connection.waits_in_vfs) return;
    const auto slice =
        std::clamp<steady_clock::duration>(left, std::chrono::milliseconds{0}, slice_max);
    const auto slice_ms = std::chrono::ceil<std::chrono::milliseconds>(slice).count();
    if (std::exchange(connection.vfs_wait_ms, static_cast<int>(slice_ms)) != slice_ms) {
        sqlite3_setlk_timeout(connection.db, connection.vfs_wait_ms, 0);
    }
#endif
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

int begin_in_line(connection_state& connection) noexcept {
    const auto now = steady_clock::now();
    const bool waited_before = connection.waits_since != steady_clock::time_point{};
    auto until = (waited_before ? connection.waits_since : now) + connection.options.busy_timeout;
    const auto* limits = connection.current_operation;
    if (limits != nullptr) until = std::min(until, limits->deadline.at());
    for (;;) {
        const auto started = steady_clock::now();
        wait_in_vfs(connection, until - started);
        const int code = connection.try_run(internal_sql::begin_immediate);
        const auto ended = steady_clock::now();
        const bool over = ended >= until || (limits != nullptr && limits->must_stop());
        if ((code & 0xff) != SQLITE_BUSY || over) return code;
        // Usually a slice is over. Never spin, whatever it was.
        if (ended - started < pause_max) std::this_thread::sleep_for(pause_min);
    }
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
