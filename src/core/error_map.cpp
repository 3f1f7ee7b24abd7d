// Result codes to typed errors, with advice where there is some to give.
#include "core/error_map.hpp"

#include "core/operation.hpp"
#include "core/sql_text.hpp"

namespace skiff::detail {

namespace {

bool has_system_errno(int primary) noexcept {
    return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL ||
           primary == SQLITE_PERM || primary == SQLITE_READONLY;
}

std::string advice_for(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
            if (code == SQLITE_BUSY_SNAPSHOT) {
                return "end this transaction and start again; begin transactions that will write "
                       "as immediate";
            }
            return "another connection holds the lock: retry later, or open with a longer "
                   "busy_timeout";
        case SQLITE_LOCKED:
            return "another statement of this connection uses the table: finish it first";
        case SQLITE_READONLY:
            return "the file, its directory or the connection does not allow writing; a snapshot "
                   "only reads: write with database::exec or database::write";
        case SQLITE_FULL:
            return "free space on the disk or raise max_page_count; nothing was committed";
        case SQLITE_CORRUPT:
            return "run 'skiff check' on the file and restore from a backup";
        case SQLITE_NOTADB:
            return "the file is encrypted or is no SQLite database";
        case SQLITE_SCHEMA:
            return "the schema changed again and again while the statement was prepared: retry";
        case SQLITE_TOOBIG:
            return "the value, row or SQL is longer than the connection's limit";
        case SQLITE_NOMEM:
            return "out of memory";
        default:
            return {};
    }
}

/// Errors after which what a transaction did so far is not to be relied on (rule D16).
bool ends_trust(int code, bool read_only) noexcept {
    switch (code & 0xff) {
        case SQLITE_NOMEM:
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
            return true;
        case SQLITE_INTERRUPT:
            return !read_only;
        default:
            return false;
    }
}

/// SQL text that ends a transaction: SQLite calls it read-only, since it changes nothing itself.
bool is_commit_text(std::string_view sql) {
    const auto keyword = first_keyword(sql);
    return keyword == "commit" || keyword == "end" || keyword == "release";
}

error_details with_sql(error_details details, sqlite3* db, std::string_view sql) {
    details.sql = sql;
#if SQLITE_VERSION_NUMBER >= 3038000
    details.sql_offset = sqlite3_error_offset(db);
#else
    static_cast<void>(db);
#endif
    if (details.sql_offset >= static_cast<int>(sql.size())) {
        details.sql_offset = static_cast<int>(sql.size());
    }
    return details;
}

[[noreturn]] void rethrow_callback(connection_state& connection) {
    std::rethrow_exception(std::exchange(connection.callback_exception, nullptr));
}

void apply_refusal(connection_state& connection, error_details& details) {
    if (details.code != errc::not_authorized || connection.refusal.empty()) return;
    details.code = errc::refused;
    details.message = std::exchange(connection.refusal, {});
}

/// The caller's own limits cut the statement, or its wait for a lock.
void explain_cut(const connection_state& connection, error_details& details) {
    const auto* limits = connection.current_operation;
    if (limits == nullptr) return;
    const bool late = limits->deadline.has_passed();
    const std::string cause = late ? "the deadline passed" : "a stop was requested";
    if (details.code == errc::interrupted) {
        details.message = cause + " while the statement ran";
    } else if (details.code == errc::busy && limits->must_stop()) {
        details.code = late ? errc::timeout : errc::interrupted;
        details.message = cause + " while waiting for a lock: " + details.message;
    }
}

}  // namespace

error_details details_of(sqlite3* db, int code, std::string_view operation) {
    error_details details;
    details.extended_code = code;
    details.code = static_cast<errc>(code & 0xff);
    details.operation = operation;
    // The connection may hold the message of another error: then the code's own text is right.
    const bool current = db != nullptr && sqlite3_extended_errcode(db) == code;
    details.message = current ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    if (db != nullptr && has_system_errno(code & 0xff)) {
        details.system_errno = sqlite3_system_errno(db);
    }
    details.advice = advice_for(code);
    return details;
}

void make_outcome_unknown(error_details& details, std::string_view what) {
    details.code = errc::outcome_unknown;
    details.message =
        std::string(what) + " failed and may or may not be stored: " + details.message;
    details.advice = "open the database again and look before repeating the work";
}

bool leaves_commit_unknown(int code) noexcept {
    const int primary = code & 0xff;
    return primary == SQLITE_IOERR || primary == SQLITE_NOMEM;
}

bool is_failed_sync(int code) noexcept {
    return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}

void throw_prepare_error(connection_state& connection, int code, std::string_view sql) {
    auto details = with_sql(details_of(connection.db, code, "prepare"), connection.db, sql);
    apply_refusal(connection, details);
    explain_cut(connection, details);
    throw_error(std::move(details));
}

void throw_sql_error(connection_state& connection, int code, std::string_view sql) {
    if (is_failed_sync(code)) connection.poison(code);
    if (connection.callback_exception) rethrow_callback(connection);
    auto details = with_sql(details_of(connection.db, code, "step"), connection.db, sql);
    explain_cut(connection, details);
    throw_error(std::move(details));
}

void throw_commit_error(connection_state& connection, int code) {
    auto details = details_of(connection.db, code, "commit");
    details.sql = "COMMIT";
    if (is_failed_sync(code)) connection.poison(code);
    if (leaves_commit_unknown(code)) {
        if (connection.in_transaction()) connection.try_run(internal_sql::rollback);
        make_outcome_unknown(details, "the commit");
    } else if (connection.callback_exception) {
        rethrow_callback(connection);
    }
    throw_error(std::move(details));
}

void throw_object_error(sqlite3* db,
                        int code,
                        std::string_view operation,
                        std::string_view object) {
    auto details = details_of(db, code, operation);
    details.object = object;
    throw_error(std::move(details));
}

void throw_closed(std::string_view what) {
    throw_error({.code = errc::closed,
                 .message = std::string(what) + " is closed",
                 .operation = "use",
                 .advice = "it was closed, moved from, or its connection was closed before it"});
}

void throw_step_error(prepared& run, int code) {
    if (run.connection == nullptr) throw_closed("the statement");
    auto& connection = *run.connection;
    if (ends_trust(code, run.read_only)) connection.fatal_code = code;
    if (connection.callback_exception) rethrow_callback(connection);
    auto details = with_sql(details_of(connection.db, code, "step"), connection.db,
                            sqlite3_sql(run.statement));
    apply_refusal(connection, details);
    explain_cut(connection, details);
    if (!run.read_only || is_commit_text(sqlite3_sql(run.statement))) {
        if (is_failed_sync(code)) connection.poison(code);
        // After a failed RELEASE the transaction is still open, and a second one would report
        // success for data that is gone (rule B17).
        const bool unknown = leaves_commit_unknown(code);
        if (unknown && run.read_only && connection.in_transaction()) {
            connection.try_run(internal_sql::rollback);
        }
        // In autocommit the statement was its own commit; in a shared transaction it never is.
        if (unknown && !connection.in_transaction() && !connection.guards_transaction) {
            make_outcome_unknown(details, "the write");
        }
    }
    throw_error(std::move(details));
}

void throw_no_row(prepared& run) {
    throw_error({.code = errc::no_row,
                 .message = "the query returned no row",
                 .operation = "one",
                 .sql = sqlite3_sql(run.statement),
                 .advice = "use maybe() where no row is a normal answer"});
}

void throw_many_rows(prepared& run) {
    throw_error({.code = errc::many_rows,
                 .message = "the query returned more than one row",
                 .operation = "one",
                 .sql = sqlite3_sql(run.statement),
                 .advice = "add 'limit 1' if any row will do, or use all() or rows()"});
}

}  // namespace skiff::detail
