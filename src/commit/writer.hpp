// The one writer of a database: many callers, one connection, one sync. A caller that leads runs
// the work of those it took in one transaction, each in a savepoint of its own (rules D1 to D19).
#pragma once

#include "commit/queue.hpp"
#include "commit/sql_guard.hpp"
#include "core/connection_state.hpp"

#include <skiff/connection.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace skiff::detail {

/// Bounds of one batch (rule D13).
struct batch_limits {
    std::size_t callers_max;
    std::chrono::steady_clock::duration time_max;
};

/// Counters; written by the leader, read by anyone.
struct writer_counters {
    std::atomic<std::uint64_t> commits{0};
    std::atomic<std::uint64_t> writes{0};
    std::atomic<std::uint64_t> batch_writes_max{0};
    std::atomic<std::uint64_t> writes_failed{0};
    std::atomic<std::uint64_t> batches_aborted{0};
    // Of the connection's statement cache, as the last leader left it.
    std::atomic<std::uint64_t> statement_hits{0};
    std::atomic<std::uint64_t> statement_misses{0};
    std::atomic<std::uint64_t> statement_evictions{0};
    std::atomic<std::size_t> statements_kept{0};
};

/// Thread-safe.
class writer {
  public:
    writer(connection opened, batch_limits limits);
    ~writer();
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    /// Queues the unit, waits until it is committed, and returns its commit's number; throws what
    /// went wrong.
    std::uint64_t submit(write_unit& unit);
    /// The same for work outside transactions, which has the connection to itself.
    void submit_exclusive(void (*run)(void* context, connection& opened),
                          void* context,
                          const skiff::deadline& until);

    /// Whether this thread runs callers' work for this writer at the moment.
    [[nodiscard]] bool is_led_here() const noexcept { return leading::is_inside(*this); }
    /// Number of the newest commit; it only grows.
    [[nodiscard]] std::uint64_t last_commit() const noexcept {
        return last_commit_.load(std::memory_order_acquire);
    }
    [[nodiscard]] const writer_counters& counters() const noexcept { return counters_; }
    /// Closes the connection and reports errors. Nobody may be in line.
    void close();

  private:
    friend class batch;

    /// Marks this thread as running callers' work for a writer, to notice calls into itself.
    class leading {
      public:
        explicit leading(const writer& running) noexcept;
        ~leading();
        leading(const leading&) = delete;
        leading& operator=(const leading&) = delete;
        [[nodiscard]] static bool is_inside(const writer& asked) noexcept;

      private:
        const writer* running_;
        const leading* outer_;
    };

    void enter(waiter& mine);
    const waiter& run_batch(waiter& leader);
    /// Rule D7, in a transaction: there no other program's lock is in the way. May throw.
    void look_at_schema();
    void run_exclusive(waiter& mine);
    void take_back_connection();
    void lose_connection(bool is_alive);
    /// BEGIN. Callers that stood in line behind one that waited for another program's lock have
    /// waited for it, too: their busy_timeout counts from then on, not from their turn.
    void begin_transaction(const waiter& caller);
    void note_statements() noexcept;
    void note_commit(std::span<waiter* const> units) noexcept;

    connection connection_;
    connection_state& state_;
    std::unique_ptr<sql_guard> guard_;  ///< null once the connection is gone
    batch_limits limits_;
    write_queue queue_;
    writer_counters counters_;
    std::atomic<std::uint64_t> last_commit_{0};
    /// Since when leaders one after the other found another program's lock in their way.
    std::optional<std::chrono::steady_clock::time_point> locked_out_since_;
    bool lost_ = false;           ///< the connection was moved out of write_without_transaction
    bool can_roll_back_ = false;  ///< SQL in the schema can roll the transaction back (rule D7)
};

}  // namespace skiff::detail
