// A prepared statement as the library holds it, and the scope of one run of it. Users meet these
// through connection, statement and the row ranges.
#pragma once

#include <skiff/detail/sqlite_abi.hpp>
#include <skiff/mapping.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

namespace skiff::detail {

struct connection_state;

/// One sqlite3_stmt with what is known of it. Owned by a statement cache or by a `statement`;
/// outlives its connection when something still refers to it, with `statement` null.
struct prepared {
    sqlite3_stmt* statement = nullptr;
    connection_state* connection = nullptr;
    int parameter_count = 0;
    int column_count = 0;
    bool read_only = false;
    bool cached = false;                 ///< goes back to the cache when a run ends
    bool running = false;                ///< between the start and the end of a run
    bool holds_pointers = false;         ///< a text, blob or pointer is bound: clear after the run
    bool orphaned = false;               ///< nobody owns it any more: delete when the run ends
    std::exception_ptr outer_exception;  ///< of the statement that a callback runs this one in
    prepared* previous = nullptr;        ///< the connection's list of live statements
    prepared* next = nullptr;
};

/// A statement from the connection's cache, or prepared now, marked as running.
prepared& start_cached(connection_state& connection, std::string_view sql);
/// The same for a statement the caller holds; refuses one that runs or whose connection closed.
void start(prepared& held);
/// Refuses a loop over rows that a statement writes outside of a transaction: a commit that fails
/// when the loop is left early could not be reported.
void check_writing_loop(prepared& run);
/// Ends a run whose caller gets an exception instead of its rows: what the statement wrote outside
/// of a transaction is not kept.
void abandon(prepared& run) noexcept;
/// Ends a run: reset, bindings that hold pointers cleared, given back to its owner.
void finish(prepared& run) noexcept;

/// Makes the statement ready to run again within the same run, bindings kept until overwritten.
void restart(prepared& run);

/// sqlite3_step with the debug check that no other thread is inside the connection.
int checked_step(prepared& run);

[[noreturn]] void throw_step_error(prepared& run, int code);
[[noreturn]] void throw_no_row(prepared& run);
[[noreturn]] void throw_many_rows(prepared& run);

/// Distance in bytes between neighbouring columns of the current row when all of them lie evenly,
/// else 0. See docs/decisions/0003-evenly-spaced-columns.md.
std::ptrdiff_t column_stride(sqlite3_stmt* statement, int count) noexcept;

/// One run of a statement: steps it, and ends the run in any case. Not copyable, not movable.
class execution {
  public:
    explicit execution(prepared& started) noexcept : run_(&started) {}
    ~execution() {
        if (run_ != nullptr) finish(*run_);
    }
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;

    [[nodiscard]] prepared& run() const noexcept { return *run_; }
    [[nodiscard]] sqlite3_stmt* statement() const noexcept { return run_->statement; }

    /// True when there is a row, false when the statement is done.
    bool step() {
#ifdef NDEBUG
        const int code = sqlite3_step(run_->statement);
#else
        const int code = checked_step(*run_);
#endif
        if (code == sqlite_row) return true;
        if (code != sqlite_done) [[unlikely]]
            throw_step_error(*run_, code);
        return false;
    }

    /// Gives the run to somebody else, who will finish it.
    [[nodiscard]] prepared* detach() noexcept { return std::exchange(run_, nullptr); }

  private:
    prepared* run_;
};

/// The columns of a statement's current row, found by their even distance in memory; with a stride
/// of 0 SQLite is asked for each.
class row_values {
  public:
    row_values(sqlite3_stmt* statement, std::ptrdiff_t stride) noexcept
        : statement_(statement), first_(sqlite3_column_value(statement, 0)), stride_(stride) {}

    [[nodiscard]] value_ref at(int index) const noexcept {
        const value_origin origin{statement_, nullptr, index};
        if (index == 0) return {first_, origin};
        if (stride_ != 0) [[likely]] {
            auto* address = reinterpret_cast<char*>(first_) + index * stride_;
            return {reinterpret_cast<sqlite3_value*>(address), origin};
        }
        return {sqlite3_column_value(statement_, index), origin};
    }

  private:
    sqlite3_stmt* statement_;
    sqlite3_value* first_;
    std::ptrdiff_t stride_;
};

}  // namespace skiff::detail
