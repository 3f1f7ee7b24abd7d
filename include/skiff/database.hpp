// The class most programs hold: one database file, one writer and many readers behind one object
// that any number of threads use at once.
//
//     auto db = skiff::database::open("app.db");
//     auto mail = db.maybe<std::string>("select mail from user where id = ?", 42);
//     db.exec("insert into log(line) values (?)", line);
//     db.write([&](skiff::transaction& tx) {
//         auto id = tx.one<std::int64_t>("insert into user(name) values (?) returning id", "ann");
//         tx.insert_many("insert into item(user, sku) values (?, ?)", items);
//     });
#pragma once

#include <skiff/connection.hpp>
#include <skiff/detail/write_unit.hpp>
#include <skiff/snapshot.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace skiff {

namespace detail {
struct database_deleter {
    void operator()(database_state* state) const noexcept;
};
}  // namespace detail

/// Whether a closure may be called a second time.
enum class rerun {
    /// Once at most: when the shared transaction is lost to another caller's fault (disk full, I/O
    /// error, out of memory), the call throws errc::batch_aborted; nothing was committed.
    never,
    /// Run again in such a case; only the effects of the last run are committed.
    allowed
};

struct write_options {
    /// Cuts the wait in the queue (`timeout`, nothing was done) and the running statement
    /// (`interrupted`, rolled back).
    skiff::deadline deadline = {};
    std::stop_token stop = {};
    skiff::rerun rerun = skiff::rerun::never;
    /// A transaction of its own instead of one shared with other callers.
    bool alone = false;
};

/// What a closure returned, and the commit it belongs to.
template <class T>
struct written {
    T value;
    commit_token commit;
};

/// What a single statement changed, and the commit it belongs to.
struct write_result : exec_result {
    commit_token commit;
};

/// Figures since the database was opened; each is a snapshot of its own.
struct database_stats {
    std::uint64_t commits = 0;           ///< transactions committed
    std::uint64_t writes = 0;            ///< callers' closures and statements committed in them
    std::uint64_t batch_writes_max = 0;  ///< most of them in one transaction
    std::uint64_t writes_failed = 0;     ///< closures and statements rolled back
    std::uint64_t batches_aborted = 0;   ///< shared transactions lost and taken apart
    std::uint64_t reads_waited = 0;      ///< reads that had to wait for a reader connection
    int readers_open = 0;                ///< reader connections open now
    std::optional<file_status> file;     ///< seen by a reader, if one is idle at the moment
    statement_cache_stats statements;    ///< of the writer and the readers idle at the moment
};

/// A database shared by threads. Thread-safe: every call may be made from any thread at any time,
/// but close(), the destructor and moves, which need it to themselves.
///
/// Calling write() or exec() from inside a write closure of the same database is an error
/// (errc::misuse), since the closure would wait for itself: use its transaction.
class database : public function_registry<database> {
  public:
    /// Opens or makes the file. ":memory:" is a database in memory shared by this object's
    /// connections, and by nothing else; reads and writes keep each other out there, so a write
    /// fails with `busy` while a snapshot stays open.
    [[nodiscard]] static database open(const std::filesystem::path& path,
                                       const open_options& options = {});

    database(database&&) noexcept;
    database& operator=(database&&) noexcept;
    /// Closes; errors are dropped: use close() to see them. No other call may be running and no
    /// snapshot alive (debug builds check).
    ~database();

    /// Finishes what is queued, closes all connections and reports errors. Snapshots must be gone.
    /// Allowed any number of times; every later call throws errc::closed.
    void close();
    [[nodiscard]] bool is_open() const noexcept { return state_ != nullptr; }

    // -- Reading: on a reader connection, in parallel with everything else. A statement that writes
    //    (insert … returning) runs on the writer, as exec() does.

    /// As queries::one, queries::maybe, queries::all.
    template <class T, class... Args>
    [[nodiscard]] T one(std::string_view sql, const Args&... arguments) {
        return fetch<T>(sql, [&](detail::execution& run) {
            detail::bind_all(run.run(), lifetime::call, arguments...);
            return detail::fetch_one<T>(run);
        });
    }
    template <class T, class... Args>
    [[nodiscard]] std::optional<T> maybe(std::string_view sql, const Args&... arguments) {
        return fetch<std::optional<T>>(sql, [&](detail::execution& run) {
            detail::bind_all(run.run(), lifetime::call, arguments...);
            return detail::fetch_maybe<T>(run);
        });
    }
    template <class T, class... Args>
    [[nodiscard]] std::vector<T> all(std::string_view sql, const Args&... arguments) {
        return fetch<std::vector<T>>(sql, [&](detail::execution& run) {
            detail::bind_all(run.run(), lifetime::call, arguments...);
            return detail::fetch_all<T>(run);
        });
    }

    /// Leases a reader for several reads of one state, and for looping over rows without copies.
    [[nodiscard]] snapshot read(const read_options& options = {}) {
        return snapshot(detail::reader_lease(require(), options));
    }

    // -- Writing: committed in groups with other callers' work, each call atomic on its own.

    /// Runs one statement and commits it. Returns when it is durable as `durability` says.
    template <class... Args>
    write_result exec(std::string_view sql, const Args&... arguments) {
        write_result done;
        auto work = [&](transaction& tx) {
            static_cast<exec_result&>(done) = tx.exec(sql, arguments...);
        };
        done.commit = submit(work, {}, true);
        return done;
    }

    /// Runs `work(transaction&)` in a transaction and commits it; what it throws rolls back this
    /// closure alone and reaches the caller. It runs on the thread that leads the group, which may
    /// be another caller's: do not rely on thread-locals or locks held by this thread.
    ///
    /// Returns the commit_token, or `written<T>` when the closure returns a T.
    template <std::invocable<transaction&> Work>
    auto write(Work&& work, const write_options& options = {}) {
        using value_type = std::invoke_result_t<Work&, transaction&>;
        if constexpr (std::is_void_v<value_type>) {
            auto run = [&](transaction& tx) { work(tx); };
            return submit(run, options, options.rerun == rerun::allowed);
        } else {
            static_assert(!std::is_reference_v<value_type>,
                          "skiff: return values from a write closure, not references");
            std::optional<value_type> returned;
            auto run = [&](transaction& tx) { returned.emplace(work(tx)); };
            const commit_token commit = submit(run, options, options.rerun == rerun::allowed);
            return written<value_type>{std::move(*returned), commit};
        }
    }

    /// Runs `work(connection&)` on the writer connection alone and outside a transaction: for
    /// VACUUM, ATTACH, PRAGMA and other SQL that a transaction cannot hold. A transaction that it
    /// leaves open is rolled back and reported as errc::misuse. The connection stays the
    /// database's: what was prepared or begun on it is closed when `work` returns.
    template <std::invocable<connection&> Work>
    void write_without_transaction(Work&& work, const deadline& until = {}) {
        detail::submit_without_transaction(
            require(),
            [](void* context, connection& writer) {
                (*static_cast<std::remove_reference_t<Work>*>(context))(writer);
            },
            const_cast<void*>(static_cast<const void*>(std::addressof(work))), until);
    }

    /// Returns when `commit` is on the disk, whatever the durability it was made with.
    void wait_durable(const commit_token& commit, const deadline& until = {});
    /// The newest commit made through this object.
    [[nodiscard]] commit_token last_commit() const;

    /// Copies the database into `target` while it is in use.
    void backup_to(connection& target, const backup_options& options = {});

    [[nodiscard]] database_stats stats() const;
    [[nodiscard]] std::filesystem::path path() const;
    [[nodiscard]] const open_options& options() const;

  private:
    friend class function_registry<database>;
    explicit database(detail::database_state* state) noexcept;
    [[nodiscard]] detail::database_state& require() const;
    void define_function_now(detail::function_definition made);
    void define_collation_now(detail::collation_definition made);

    template <class Work>
    commit_token submit(Work& work, const write_options& options, bool repeatable) {
        detail::write_unit unit;
        unit.context = std::addressof(work);
        unit.run = [](void* context, transaction& tx) { (*static_cast<Work*>(context))(tx); };
        unit.deadline = options.deadline;
        unit.stop = options.stop;
        unit.alone = options.alone;
        unit.repeatable = repeatable;
        return detail::submit(require(), unit);
    }

    /// Runs `take` on a reader, or on the writer when the statement turns out to write.
    template <class Result, class Take>
    Result fetch(std::string_view sql, Take&& take) {
        {
            detail::reader_lease lease(require());
            detail::execution run(detail::start_cached(lease.state(), sql));
            if (run.run().read_only) [[likely]]
                return take(run);
        }
        std::optional<Result> result;
        auto work = [&](transaction& tx) { result.emplace(tx.run_statement(sql, take)); };
        static_cast<void>(submit(work, {}, true));
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): submit() throws unless the work ran
        return std::move(*result);
    }

    std::unique_ptr<detail::database_state, detail::database_deleter> state_;
};

}  // namespace skiff
