// Transactions and savepoints. A savepoint at top level begins a real transaction around itself,
// so that it ends with COMMIT and not with an outermost RELEASE, whose failure cannot be retried
// safely (rule B17).
#include "core/connection_state.hpp"
#include "core/error_map.hpp"

#include <skiff/transaction.hpp>

namespace skiff {

namespace {

[[noreturn]] void throw_ended(std::string_view what) {
    throw_error({.code = errc::misuse,
                 .message = std::string(what) + " has already ended",
                 .operation = "use",
                 .advice = "it was committed, released or rolled back before, or an error or SQL "
                           "text ended it"});
}

[[noreturn]] void throw_owned_by_database(std::string_view operation) {
    throw_error({.code = errc::refused,
                 .message = "the database ends this transaction itself",
                 .operation = std::string(operation),
                 .advice = "return from the closure to commit, throw to roll back"});
}

/// The connection, or null when the guard ended or its connection is gone.
detail::connection_state* alive(const std::shared_ptr<detail::connection_link>& link) noexcept {
    return link ? link->connection : nullptr;
}

}  // namespace

// -- transaction

transaction::transaction(std::shared_ptr<detail::connection_link> link, owner held_by) noexcept
    : link_(std::move(link)), owner_(held_by) {}

transaction& transaction::operator=(transaction&& other) noexcept {
    if (this != &other) {
        end();
        link_ = std::move(other.link_);
        owner_ = other.owner_;
        begun_ = other.begun_;
    }
    return *this;
}

transaction::~transaction() {
    end();
}

bool transaction::is_open() const noexcept {
    // After an error rolled it back, another transaction may be open: it is not ours to end.
    const auto* connection = alive(link_);
    return connection != nullptr && connection->in_transaction() &&
           (begun_ == 0 || begun_ == connection->transactions_begun);
}

void transaction::end() noexcept {
    if (owner_ == owner::user && is_open()) {
        link_->connection->try_run(detail::internal_sql::rollback);
    }
    link_.reset();
}

detail::prepared& transaction::start_statement(std::string_view sql) {
    // An error (disk full, I/O, "on conflict rollback") or SQL text may have ended it: what follows
    // must not commit by itself.
    if (!is_open()) throw_ended("the transaction");
    return detail::start_cached(*link_->connection, sql);
}

void transaction::commit() {
    if (owner_ == owner::database) throw_owned_by_database("commit");
    if (!is_open()) throw_ended("the transaction");
    link_->connection->commit();  // on an error that leaves it open, it stays ours
    link_.reset();
}

void transaction::rollback() {
    if (link_ == nullptr) throw_ended("the transaction");
    if (owner_ == owner::database) throw_owned_by_database("rollback");
    const bool open = is_open();
    const auto link = std::move(link_);
    if (open) link->connection->run(detail::internal_sql::rollback);
}

savepoint transaction::savepoint() {
    if (!is_open()) throw_ended("the transaction");
    return skiff::savepoint(link_, false);
}

void transaction::exec_script(std::string_view sql) {
    if (!is_open()) throw_ended("the transaction");
    link_->connection->run_script(sql);
}

// -- savepoint

savepoint::savepoint(std::shared_ptr<detail::connection_link> link, bool outermost)
    : outermost_(outermost) {
    auto& connection = *link->connection;
    const auto name =
        connection.savepoint_prefix + "_" + std::to_string(++connection.savepoints_made);
    rollback_sql_ = "ROLLBACK TO " + name;
    release_sql_ = "RELEASE " + name;
    if (outermost_) {
        connection.check_writable();
        connection.run(detail::internal_sql::begin_immediate);
    }
    try {
        connection.run("SAVEPOINT " + name);
    } catch (...) {
        if (outermost_) connection.try_run(detail::internal_sql::rollback);
        throw;
    }
    begun_ = connection.transactions_begun;
    link_ = std::move(link);
}

savepoint& savepoint::operator=(savepoint&& other) noexcept {
    if (this != &other) {
        end();
        link_ = std::move(other.link_);
        rollback_sql_ = std::move(other.rollback_sql_);
        release_sql_ = std::move(other.release_sql_);
        outermost_ = other.outermost_;
        begun_ = other.begun_;
    }
    return *this;
}

savepoint::~savepoint() {
    end();
}

bool savepoint::is_open() const noexcept {
    const auto* connection = alive(link_);
    return connection != nullptr && connection->in_transaction() &&
           begun_ == connection->transactions_begun;
}

void savepoint::end() noexcept {
    const bool open = is_open();  // an error may have rolled everything back
    const auto link = std::move(link_);
    if (!open) return;
    int code = SQLITE_ABORT;
    if (!outermost_) code = link->connection->try_run(rollback_sql_);
    if (code == SQLITE_OK) {
        // "Rolled back" is not "ended": without the release the savepoint would stay open.
        link->connection->try_run(release_sql_);
    } else if (code != SQLITE_ERROR) {  // "no such savepoint": one further out ended before it
        // What cannot be undone alone must not be kept (rule D10).
        link->connection->try_run(detail::internal_sql::rollback);
    }
}

void savepoint::run_to_here(const std::string& sql) {
    if (!is_open()) throw_ended("the savepoint");
    const int code = link_->connection->try_run(sql);
    if (code == SQLITE_OK) return;
    // "No such savepoint": one further out was released or rolled back.
    if (code == SQLITE_ERROR) throw_ended("the savepoint");
    detail::throw_sql_error(*link_->connection, code, sql);
}

void savepoint::rollback() {
    run_to_here(rollback_sql_);
}

void savepoint::release() {
    if (!is_open()) throw_ended("the savepoint");
    if (outermost_) {
        // The savepoint inside is released by the commit; on busy both stay open.
        link_->connection->commit();
    } else {
        run_to_here(release_sql_);
    }
    link_.reset();
}

}  // namespace skiff
