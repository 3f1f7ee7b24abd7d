// What a connection is inside: SQLite's handle and everything Skiff keeps beside it. Everything in
// src/core works on this; public classes hold a pointer to it.
#pragma once

#include "core/statement_cache.hpp"

#include <skiff/connection.hpp>
#include <skiff/detail/prepared.hpp>
#include <skiff/function.hpp>
#include <skiff/open_options.hpp>

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::detail {

/// Statements that Skiff itself runs, prepared once for each connection.
enum class internal_sql : std::size_t {
    begin_immediate,
    begin_deferred,
    begin_exclusive,
    commit,
    rollback,
    unit_savepoint,  ///< of one caller's work in a shared transaction
    unit_release,
    unit_rollback,
    count
};

/// A function as one connection has it: SQLite's user data for it.
struct registered_function {
    connection_state* connection;
    function_definition definition;
};

struct operation;
struct running_backup;

/// For what may outlive its connection: null once that is gone.
struct connection_link {
    connection_state* connection = nullptr;
};

/// One thread at a time.
struct connection_state {
    explicit connection_state(const open_options& opened_with);
    ~connection_state();
    connection_state(const connection_state&) = delete;
    connection_state& operator=(const connection_state&) = delete;

    /// For the rooms above: what is inside a connection.
    static connection_state& of(const connection& outer) { return outer.require(); }
    static connection wrap(std::unique_ptr<connection_state> inner) {
        return connection(inner.release());
    }
    /// A transaction that its user can neither commit nor roll back. It and its savepoints are cut
    /// off when end_loan() is called, wherever they were moved.
    transaction lend_transaction();
    void end_loan() noexcept;
    /// Cuts off everything that was made from this connection and still lives elsewhere.
    void cut_off_borrowers();

    /// Prepares exactly one statement; throws a typed error. The caller owns it.
    std::unique_ptr<prepared> prepare(std::string_view sql, unsigned int flags);
    /// The same for the first of several statements in a checked text that a NUL follows; `used`
    /// is where the next one may start.
    std::unique_ptr<prepared> prepare_first(std::string_view sql, std::size_t& used);
    /// Runs one of Skiff's own statements to its end; throws what SQLite reports.
    void run(internal_sql which);
    /// The same with a text made by Skiff (savepoint names).
    void run(const std::string& sql);
    /// As run(), for destructors: returns SQLite's code.
    int try_run(internal_sql which) noexcept;
    int try_run(const std::string& sql) noexcept;

    /// Runs a script of the user's, statement by statement.
    void run_script(std::string_view script);

    [[nodiscard]] bool in_transaction() const noexcept { return sqlite3_get_autocommit(db) == 0; }
    /// COMMIT, with the errors told apart: still open (busy, constraint), or unknown.
    void commit();

    /// Keeps the exception in flight for the caller of the running statement. The first one of a
    /// run is the cause; what follows while SQLite unwinds is not.
    void keep_callback_exception() noexcept {
        if (!callback_exception) callback_exception = std::current_exception();
    }

    /// Takes a statement on or off the list of live statements.
    void link(prepared& statement) noexcept;
    void unlink(prepared& statement) noexcept;
    /// Ends statements that somebody left running and closes them for good; returns how many.
    int end_running_statements() noexcept;
    /// Finalizes every statement; those in use by somebody become closed ones.
    void close_statements() noexcept;
    [[nodiscard]] const prepared* first_running() const noexcept;

    /// After a failed sync nothing may be written through this connection any more.
    void poison(int extended_code) noexcept;
    void check_writable() const;

    sqlite3* db = nullptr;
    open_options options;
    statement_cache cache;
    prepared* statements = nullptr;
    int open_blobs = 0;  ///< blob streams; FTS5's own look the same to SQLite and do not count
    std::vector<running_backup*> backups;  ///< from and into this database
    std::shared_ptr<connection_link> back_link;
    std::shared_ptr<connection_link> life;  ///< as back_link, but never replaced
    std::shared_ptr<connection_link> loan;  ///< of the lent transaction; kept for the next one
    std::exception_ptr callback_exception;  ///< thrown inside a callback of the running statement
    int autocheckpoint_frames = 1000;       ///< SQLITE_DEFAULT_WAL_AUTOCHECKPOINT; 0 for never
    std::int64_t earlier_rowid = 0;  ///< what last_insert_rowid() says until a row is inserted
    std::uint64_t savepoints_made = 0;
    std::uint64_t transactions_begun = 0;  ///< by Skiff's own BEGIN; tells guards their own apart
    std::string savepoint_prefix;
    int poisoned_by = 0;  ///< extended code of the sync that failed, 0 when none did
    int fatal_code =
        0;  ///< extended code of an error after which a transaction is not to be trusted
    operation* current_operation = nullptr;
    std::chrono::steady_clock::time_point busy_since{};
    /// From when busy_timeout counts, for a caller that waited for the same lock before; else
    /// unset.
    std::chrono::steady_clock::time_point waits_since{};
    bool waits_in_vfs = false;  ///< our VFS has the file: begin_in_line() may wait there
    int vfs_wait_ms = 0;        ///< as set last
    int internal_depth = 0;     ///< above 0 while Skiff's own SQL runs: the SQL guard lets it pass
    bool is_lent = false;       ///< close() is its database's alone
    bool guards_transaction = false;        ///< SQL that could end a shared transaction is refused
    std::string refusal;                    ///< why the SQL guard refused the last statement
    std::atomic<std::uintptr_t> inside{0};  ///< debug builds: the thread inside a call, else 0

  private:
    std::unique_ptr<prepared> prepare_any(std::string_view sql,
                                          bool ends_with_nul,
                                          unsigned int flags,
                                          const char*& tail);
    [[nodiscard]] std::string text_of(internal_sql which) const;
    int prepare_internal(internal_sql which) noexcept;
    int step_internal(sqlite3_stmt* statement) noexcept;

    std::array<sqlite3_stmt*, static_cast<std::size_t>(internal_sql::count)> internal_{};
};

/// Lets Skiff's own SQL pass its SQL guard, and never be cut.
class internal_scope {
  public:
    explicit internal_scope(connection_state& connection) noexcept : connection_(connection) {
        ++connection_.internal_depth;
    }
    ~internal_scope() { --connection_.internal_depth; }
    internal_scope(const internal_scope&) = delete;
    internal_scope& operator=(const internal_scope&) = delete;

  private:
    connection_state& connection_;
};

/// Debug builds: aborts when two threads are inside one connection at once.
class thread_check {
  public:
#ifdef NDEBUG
    explicit thread_check(connection_state&) noexcept {}
#else
    explicit thread_check(connection_state& connection) noexcept;
    ~thread_check();
    thread_check(const thread_check&) = delete;
    thread_check& operator=(const thread_check&) = delete;

  private:
    connection_state& connection_;
    std::uintptr_t outer_;
#endif
};

}  // namespace skiff::detail
