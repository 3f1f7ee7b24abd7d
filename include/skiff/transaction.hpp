// Transactions and savepoints as scopes: what is not committed is rolled back.
#pragma once

#include <skiff/queries.hpp>

#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace skiff {

namespace detail {
struct connection_link;
}

/// SQLite's ways to begin (sqlite.org/lang_transaction.html).
enum class transaction_mode {
    immediate,  ///< takes the write lock now: waits for it here, and never fails half-way for it
    deferred,   ///< a read transaction that may fail with busy_snapshot when it first writes
    exclusive   ///< as immediate; in rollback-journal mode readers are kept out, too
};

/// A named mark inside a transaction. What was done after it is undone when the scope ends, unless
/// release() was called. One thread at a time, not beyond its transaction.
class savepoint {
  public:
    savepoint(savepoint&& other) noexcept = default;
    savepoint& operator=(savepoint&& other) noexcept;
    ~savepoint();

    /// Undoes all that was done since the savepoint and keeps the savepoint: what follows is
    /// undone too, unless release() is called. Any number of times.
    void rollback();
    /// Keeps what was done and ends the savepoint. At top level this commits.
    void release();
    /// Neither released nor ended, and no error rolled the transaction back.
    [[nodiscard]] bool is_open() const noexcept;

  private:
    friend class connection;
    friend class transaction;
    savepoint(std::shared_ptr<detail::connection_link> link, bool outermost);
    void run_to_here(const std::string& sql);
    void end() noexcept;

    std::shared_ptr<detail::connection_link> link_;  ///< null once ended
    // Made beforehand: the destructor must not need memory.
    std::string rollback_sql_;
    std::string release_sql_;
    bool outermost_ = false;   ///< the savepoint began the transaction, so it ends it
    std::uint64_t begun_ = 0;  ///< which transaction of the connection, when it is the outermost
};

/// A transaction. Rolled back when the scope ends, unless commit() was called. Move-only.
/// One thread at a time, not beyond its connection.
class transaction : public queries<transaction> {
  public:
    transaction(transaction&& other) noexcept = default;
    transaction& operator=(transaction&& other) noexcept;
    ~transaction();

    /// Commits. On `busy` the transaction is still open: call again, or let it roll back. After
    /// `outcome_unknown` it is over.
    ///
    /// Inside database::write this is refused: the database commits when the closure returns.
    void commit();
    /// Rolls back. Inside database::write: throw instead.
    void rollback();
    /// Neither committed nor rolled back, by an error or by SQL text either.
    [[nodiscard]] bool is_open() const noexcept;

    /// A savepoint, for undoing a part.
    [[nodiscard]] skiff::savepoint savepoint();

    /// Runs the statement once for each element of `range`: values, tuples or plain structs whose
    /// members are its parameters. Returns the rows changed. An error undoes all of them.
    template <std::ranges::input_range Range>
    std::int64_t insert_many(std::string_view sql, Range&& range) {
        auto undo = savepoint();
        const std::int64_t changes = run_many(sql, std::forward<Range>(range));
        undo.release();
        return changes;
    }

    /// Runs several statements, none with parameters.
    void exec_script(std::string_view sql);

  private:
    friend class connection;
    friend class database;
    friend class queries<transaction>;
    friend struct detail::connection_state;
    enum class owner { user, database };
    transaction(std::shared_ptr<detail::connection_link> link, owner held_by) noexcept;
    detail::prepared& start_statement(std::string_view sql);
    void end() noexcept;

    std::shared_ptr<detail::connection_link> link_;  ///< null once ended
    owner owner_ = owner::user;
    std::uint64_t begun_ = 0;  ///< which transaction of the connection; 0: whichever is open
};

}  // namespace skiff
