// One connection to a database, used by one thread at a time, with nothing hidden: the direct API
// that skiff::database is built on.
//
//     auto db = skiff::connection::open("app.db");
//     db.exec("insert into user(name) values (?)", "ann");
//     for (auto [id, name] : db.rows<std::int64_t, std::string_view>("select id, name from user"))
//         use(id, name);
#pragma once

#include <skiff/backup.hpp>
#include <skiff/blob_stream.hpp>
#include <skiff/error.hpp>
#include <skiff/file_status.hpp>
#include <skiff/function.hpp>
#include <skiff/image.hpp>
#include <skiff/open_options.hpp>
#include <skiff/queries.hpp>
#include <skiff/statement.hpp>
#include <skiff/transaction.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace skiff {

namespace detail {
struct connection_deleter {
    void operator()(connection_state* state) const noexcept;
};
}  // namespace detail

/// SQLite's run-time limits (sqlite.org/c3ref/c_limit_attached.html), with SQLite's numbers.
enum class limit : int {
    length = 0,
    sql_length = 1,
    column = 2,
    expression_depth = 3,
    compound_select = 4,
    vdbe_op = 5,
    function_argument = 6,
    attached = 7,
    like_pattern_length = 8,
    variable_number = 9,
    trigger_depth = 10,
    worker_threads = 11
};

/// Figures of the statement cache.
struct statement_cache_stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;
    std::size_t size = 0;
    std::size_t capacity = 0;
};

/// A database connection. Move-only; a moved-from or closed connection throws errc::closed.
/// One thread at a time (debug builds check it), with its statements, transactions and ranges;
/// interrupt() alone may be called from any thread.
class connection : public queries<connection>, public function_registry<connection> {
  public:
    /// Opens a file, or makes it. `path` is a file name (never a URI, whatever characters it has);
    /// ":memory:" is a private database in memory and "" a temporary one.
    [[nodiscard]] static connection open(const std::filesystem::path& path,
                                         const open_options& options = {});
    /// Opens by URI (sqlite.org/uri.html), for `immutable=1`, `mode=ro`, `vfs=…` and the like.
    [[nodiscard]] static connection open_uri(const std::string& uri,
                                             const open_options& options = {});
    /// A database in memory that starts as `content`, which SQLite takes over.
    [[nodiscard]] static connection deserialize(image content, const open_options& options = {});

    connection(connection&&) noexcept;
    connection& operator=(connection&&) noexcept;
    /// Closes; a transaction still open is rolled back, statements still held become closed ones.
    ~connection();

    /// Closes and reports what went wrong. Refuses (errc::busy) while a query, blob stream or
    /// backup still runs. Allowed any number of times.
    void close();
    [[nodiscard]] bool is_open() const noexcept { return state_ != nullptr; }

    /// A prepared statement the caller holds.
    [[nodiscard]] statement prepare(std::string_view sql);
    /// Runs several statements separated by semicolons, none with parameters; rows are ignored.
    /// Not atomic by itself: use it inside a transaction.
    void exec_script(std::string_view sql);

    /// Runs the statement once for each element of `range`: values, tuples or plain structs whose
    /// members are its parameters. All or nothing. Returns the rows changed.
    template <std::ranges::input_range Range>
    std::int64_t insert_many(std::string_view sql, Range&& range) {
        auto all = savepoint();
        const std::int64_t changes = run_many(sql, std::forward<Range>(range));
        all.release();
        return changes;
    }

    /// Begins a transaction; throws errc::misuse when one is open (use savepoint() to nest).
    [[nodiscard]] transaction begin(transaction_mode mode = transaction_mode::immediate);
    /// A savepoint; outside a transaction it begins one, which ends with it.
    [[nodiscard]] skiff::savepoint savepoint();
    [[nodiscard]] bool in_transaction() const;

    [[nodiscard]] blob_stream open_blob(const blob_location& where,
                                        blob_access access = blob_access::read);
    /// Copies this database into `target` whole. With a stop requested: `interrupted`.
    void backup_to(connection& target, const backup_options& options = {});
    /// Writes a compact copy to a new file (VACUUM INTO).
    void vacuum_into(const std::filesystem::path& path);
    /// The whole database as bytes, a copy.
    [[nodiscard]] image serialize(std::string_view schema = "main");

    /// Makes whatever runs on this connection throw `interrupted` soon. Any thread, as long as the
    /// connection is not closed meanwhile.
    void interrupt() noexcept;

    /// Sets a limit and returns the old one; a negative value only asks.
    int set_limit(limit which, int value);
    /// Rows changed since the connection was opened.
    [[nodiscard]] std::int64_t total_changes() const;
    [[nodiscard]] statement_cache_stats cache_stats() const;
    /// Forgets all cached statements that do not run.
    void clear_cache();
    /// The file's full path; empty for memory and temporary databases.
    [[nodiscard]] std::filesystem::path path() const;

    /// Figures of Skiff's VFS for the file; nothing when another VFS has it.
    [[nodiscard]] std::optional<skiff::file_status> file_status() const;

    /// Waits until all that this connection can see is on the disk: for a program that tells others
    /// what it has read. It costs a sync unless every commit seen was synced already. Throws
    /// errc::io when the sync fails, and errc::unsupported where another VFS has the file.
    void wait_durable();

    /// SQLite's handle, for what Skiff does not offer. It stays Skiff's: do not close it. Changing
    /// the authorizer, busy handler or progress handler of a pooled connection breaks promises.
    [[nodiscard]] sqlite3* native_handle() const noexcept;

  private:
    friend class backup;
    friend class queries<connection>;
    friend class function_registry<connection>;
    friend struct detail::connection_state;
    explicit connection(detail::connection_state* state) noexcept;
    [[nodiscard]] detail::connection_state& require() const;
    detail::prepared& start_statement(std::string_view sql) {
        return detail::start_cached(require(), sql);
    }
    void define_function_now(detail::function_definition made);
    void define_collation_now(const detail::collation_definition& made);

    std::unique_ptr<detail::connection_state, detail::connection_deleter> state_;
};

}  // namespace skiff
