// Life of a connection's inner state: its statements, Skiff's own SQL, commit, and the debug check
// of the one-thread rule.
#include "core/connection_state.hpp"

#include "base/assert.hpp"
#include "core/checkpoint_hook.hpp"
#include "core/error_map.hpp"
#include "core/running_backup.hpp"
#include "core/sql_text.hpp"

#include <algorithm>
#include <random>

namespace skiff::detail {

namespace {

std::string random_name() {
    std::random_device source;
    const auto number = (static_cast<std::uint64_t>(source()) << 32) | source();
    constexpr char digits[] = "0123456789abcdef";
    std::string name = "skiff_";
    for (int shift = 60; shift >= 0; shift -= 4) name += digits[(number >> shift) & 15];
    return name;
}

}  // namespace

connection_state::connection_state(const open_options& opened_with)
    : options(opened_with),
      cache(opened_with.statement_cache_size),
      back_link(std::make_shared<connection_link>(connection_link{this})),
      life(std::make_shared<connection_link>(connection_link{this})),
      savepoint_prefix(random_name()) {}

connection_state::~connection_state() {
    back_link->connection = nullptr;
    life->connection = nullptr;
    while (!backups.empty()) end_backup(*backups.back());
    // SQLite does it itself, but not before the last blob stream is closed.
    if (db != nullptr && in_transaction()) try_run(internal_sql::rollback);
    close_statements();
    if (db != nullptr) sqlite3_wal_hook(db, nullptr, nullptr);
    // A blob stream that still lives keeps SQLite's handle as a zombie until it ends.
    sqlite3_close_v2(db);
}

transaction connection_state::lend_transaction() {
    if (!loan) loan = std::make_shared<connection_link>();
    loan->connection = this;
    return {loan, transaction::owner::database};
}

void connection_state::end_loan() noexcept {
    if (!loan) return;
    loan->connection = nullptr;
    if (loan.use_count() > 1) loan.reset();  // somebody kept it: the next one gets another
}

void connection_state::cut_off_borrowers() {
    auto next = std::make_shared<connection_link>(connection_link{this});
    back_link->connection = nullptr;
    back_link = std::move(next);
    while (!backups.empty()) end_backup(*backups.back());
    close_statements();
    open_blobs = 0;  // those that are left keep SQLite's handle open, and close() says so
}

void connection_state::link(prepared& statement) noexcept {
    statement.next = statements;
    if (statements != nullptr) statements->previous = &statement;
    statements = &statement;
}

void connection_state::unlink(prepared& statement) noexcept {
    if (statement.previous != nullptr) statement.previous->next = statement.next;
    if (statement.next != nullptr) statement.next->previous = statement.previous;
    if (statements == &statement) statements = statement.next;
    statement.previous = nullptr;
    statement.next = nullptr;
}

const prepared* connection_state::first_running() const noexcept {
    for (const auto* at = statements; at != nullptr; at = at->next) {
        if (at->running) return at;
    }
    return nullptr;
}

int connection_state::end_running_statements() noexcept {
    int ended = 0;
    for (auto* at = statements; at != nullptr;) {
        auto& each = *std::exchange(at, at->next);
        if (!each.running) continue;
        ++ended;
        unlink(each);
        sqlite3_finalize(std::exchange(each.statement, nullptr));
        each.connection = nullptr;
        if (each.cached && cache.release(each)) each.orphaned = true;
    }
    return ended;
}

void connection_state::close_statements() noexcept {
    while (statements != nullptr) {
        prepared& each = *statements;
        unlink(each);
        sqlite3_finalize(std::exchange(each.statement, nullptr));
        each.connection = nullptr;
    }
    cache.drain([](std::unique_ptr<prepared> held) {
        if (!held->running) return;
        held->orphaned = true;
        static_cast<void>(held.release());  // whoever runs it deletes it at the end of the run
    });
    for (auto*& each : internal_) sqlite3_finalize(std::exchange(each, nullptr));
}

std::unique_ptr<prepared> connection_state::prepare_any(std::string_view sql,
                                                        bool ends_with_nul,
                                                        unsigned int flags,
                                                        const char*& tail) {
    refusal.clear();
    auto made = std::make_unique<prepared>();
    // With the NUL counted in, SQLite need not copy the text to add one.
    const int bytes = static_cast<int>(sql.size()) + (ends_with_nul ? 1 : 0);
    const bool is_pragma = first_keyword(sql) == "pragma";
    if (is_pragma) lend_checkpoint_hook(*this);
    const int code = sqlite3_prepare_v3(db, sql.data(), bytes, flags, &made->statement, &tail);
    if (code != SQLITE_OK) {
        if (is_pragma) install_checkpoint_hook(*this);
        throw_prepare_error(*this, code, sql);
    }
    if (is_pragma) take_checkpoint_hook_back(*this);
    made->connection = this;
    made->parameter_count = sqlite3_bind_parameter_count(made->statement);
    made->column_count = sqlite3_column_count(made->statement);
    made->read_only = sqlite3_stmt_readonly(made->statement) != 0;
    link(*made);
    return made;
}

std::unique_ptr<prepared> connection_state::prepare(std::string_view sql, unsigned int flags) {
    check_sql_size(sql);
    if (guards_transaction && internal_depth == 0) check_keeps_transaction(sql);
    const char* tail = nullptr;
    auto made = prepare_any(sql, false, flags, tail);
    try {
        check_single_statement(sql, made->statement != nullptr, tail);
    } catch (...) {
        destroy(std::move(made));
        throw;
    }
    return made;
}

std::unique_ptr<prepared> connection_state::prepare_first(std::string_view sql, std::size_t& used) {
    const char* tail = nullptr;
    auto made = prepare_any(sql, true, 0, tail);
    used = std::min(static_cast<std::size_t>(tail - sql.data()), sql.size());
    if (guards_transaction && internal_depth == 0) {
        try {
            check_keeps_transaction(sql.substr(0, used));
        } catch (...) {
            destroy(std::move(made));
            throw;
        }
    }
    return made;
}

std::string connection_state::text_of(internal_sql which) const {
    switch (which) {
        case internal_sql::begin_immediate:
            return "BEGIN IMMEDIATE";
        case internal_sql::begin_deferred:
            return "BEGIN DEFERRED";
        case internal_sql::begin_exclusive:
            return "BEGIN EXCLUSIVE";
        case internal_sql::commit:
            return "COMMIT";
        case internal_sql::rollback:
            return "ROLLBACK";
        case internal_sql::unit_savepoint:
            return "SAVEPOINT " + savepoint_prefix + "_unit";
        case internal_sql::unit_release:
            return "RELEASE " + savepoint_prefix + "_unit";
        case internal_sql::unit_rollback:
            return "ROLLBACK TO " + savepoint_prefix + "_unit";
        case internal_sql::count:
            break;
    }
    return {};
}

int connection_state::step_internal(sqlite3_stmt* statement) noexcept {
    const internal_scope passing(*this);
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) code = sqlite3_step(statement);
    sqlite3_reset(statement);
    if (is_failed_sync(code)) poison(code);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int connection_state::prepare_internal(internal_sql which) noexcept {
    auto*& statement = internal_[static_cast<std::size_t>(which)];
    if (statement != nullptr) return SQLITE_OK;
    const internal_scope passing(*this);
    return sqlite3_prepare_v3(db, text_of(which).c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement,
                              nullptr);
}

int connection_state::try_run(internal_sql which) noexcept {
    const bool begins = which <= internal_sql::begin_exclusive;
    // What has begun must be able to end without memory.
    int code = begins ? prepare_internal(internal_sql::rollback) : SQLITE_OK;
    if (code == SQLITE_OK) code = prepare_internal(which);
    if (code == SQLITE_OK) code = step_internal(internal_[static_cast<std::size_t>(which)]);
    if (code == SQLITE_OK && begins) ++transactions_begun;
    return code;
}

int connection_state::try_run(const std::string& sql) noexcept {
    sqlite3_stmt* statement = nullptr;
    int code = SQLITE_OK;
    {
        const internal_scope passing(*this);
        code = sqlite3_prepare_v3(db, sql.c_str(), -1, 0, &statement, nullptr);
    }
    if (code == SQLITE_OK) code = step_internal(statement);
    sqlite3_finalize(statement);
    return code;
}

void connection_state::run(internal_sql which) {
    const thread_check guard(*this);
    const int code = try_run(which);
    if (code != SQLITE_OK) throw_sql_error(*this, code, text_of(which));
}

void connection_state::run(const std::string& sql) {
    const thread_check guard(*this);
    const int code = try_run(sql);
    if (code != SQLITE_OK) throw_sql_error(*this, code, sql);
}

void connection_state::commit() {
    const thread_check guard(*this);
    const int code = try_run(internal_sql::commit);
    if (code != SQLITE_OK) throw_commit_error(*this, code);
}

void connection_state::poison(int extended_code) noexcept {
    poisoned_by = extended_code;
    // Closing would checkpoint and sync again: a second sync may report success for lost data.
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void connection_state::check_writable() const {
    if (poisoned_by == 0) return;
    throw_error({.code = errc::poisoned,
                 .extended_code = poisoned_by,
                 .message = "an earlier sync of this database failed, so writing is refused",
                 .operation = "write",
                 .advice = "find the cause on the disk, then close and open the database again; "
                           "commits reported before the failure are safe"});
}

#ifndef NDEBUG
namespace {
std::uintptr_t this_thread() noexcept {
    static thread_local char mark;
    return reinterpret_cast<std::uintptr_t>(&mark);
}
}  // namespace

thread_check::thread_check(connection_state& connection) noexcept
    : connection_(connection), outer_(connection.inside.exchange(this_thread())) {
    SKIFF_ASSERT(outer_ == 0 || outer_ == this_thread(),
                 "two threads use one connection at the same time; give each thread its own "
                 "connection, or use skiff::database, which may be shared");
}

thread_check::~thread_check() {
    connection_.inside.store(outer_);
}
#endif

}  // namespace skiff::detail
