// What is allowed inside a shared transaction, by authorizer action.
#include "commit/sql_guard.hpp"

#include "core/error_map.hpp"

#include <algorithm>
#include <string_view>

namespace skiff::detail {

namespace {

constexpr const char* use_closure =
    "the database begins and ends the transaction; return to commit, throw to roll back";
constexpr const char* use_own =
    "run it through database::write_without_transaction, which has the connection to itself";

/// Pragmas that change nothing but the transaction's own data, with or without an argument.
constexpr std::string_view harmless_pragmas[] = {
    "application_id",    "collation_list",   "compile_options", "data_version",  "database_list",
    "foreign_key_check", "foreign_key_list", "freelist_count",  "function_list", "index_info",
    "index_list",        "index_xinfo",      "integrity_check", "module_list",   "page_count",
    "pragma_list",       "quick_check",      "table_info",      "table_list",    "table_xinfo",
    "user_version"};

bool equals(const char* text, std::string_view wanted) noexcept {
    return sqlite3_stricmp(text, std::string(wanted).c_str()) == 0;
}

bool is_temporary_change(int action) noexcept {
    switch (action) {
        case SQLITE_CREATE_TEMP_INDEX:
        case SQLITE_CREATE_TEMP_TABLE:
        case SQLITE_CREATE_TEMP_TRIGGER:
        case SQLITE_CREATE_TEMP_VIEW:
        case SQLITE_DROP_TEMP_INDEX:
        case SQLITE_DROP_TEMP_TABLE:
        case SQLITE_DROP_TEMP_TRIGGER:
        case SQLITE_DROP_TEMP_VIEW:
            return true;
        default:
            return false;
    }
}

/// "create table temp.x" and "create trigger temp.x" look like ordinary changes but for the schema
/// table they write to. (ALTER TABLE updates rows there for tables of any schema.)
bool writes_temporary_schema(int action, const char* table, const char* schema) noexcept {
    return (action == SQLITE_INSERT || action == SQLITE_DELETE) && schema != nullptr &&
           equals(schema, "temp") &&
           (equals(table, "sqlite_master") || equals(table, "sqlite_temp_master"));
}

bool is_schema_change(int action) noexcept {
    switch (action) {
        case SQLITE_CREATE_TABLE:
        case SQLITE_CREATE_TRIGGER:
        case SQLITE_CREATE_INDEX:
        case SQLITE_CREATE_VIEW:
        case SQLITE_CREATE_VTABLE:
        case SQLITE_DROP_TABLE:
        case SQLITE_DROP_TRIGGER:
        case SQLITE_DROP_INDEX:
        case SQLITE_DROP_VIEW:
        case SQLITE_DROP_VTABLE:
        case SQLITE_ALTER_TABLE:
            return true;
        default:
            return false;
    }
}

}  // namespace

sql_guard::sql_guard(connection_state& connection) noexcept
    : connection_(connection), link_(connection.life) {
    sqlite3_set_authorizer(connection_.db, authorize, this);
}

sql_guard::~sql_guard() {
    if (link_->connection != nullptr) sqlite3_set_authorizer(connection_.db, nullptr, nullptr);
}

int sql_guard::authorize(void* context,
                         int action,
                         const char* first,
                         const char* second,
                         const char* schema,
                         const char*) noexcept {
    auto& guard = *static_cast<sql_guard*>(context);
    if (is_schema_change(action)) guard.schema_changed_ = true;
    if (guard.open_ || guard.connection_.internal_depth > 0) return SQLITE_OK;
    try {
        return guard.decide(action, first, second, schema);
    } catch (...) {
        return SQLITE_DENY;  // no memory for the reason: refused without one
    }
}

int sql_guard::decide(int action, const char* first, const char* second, const char* schema) {
    if (is_temporary_change(action) || writes_temporary_schema(action, first, schema)) {
        return refuse(std::string("temporary tables would be seen by other callers; ") + use_own);
    }
    switch (action) {
        case SQLITE_TRANSACTION:
            return refuse(std::string("the SQL would end or begin a transaction; ") + use_closure);
        case SQLITE_SAVEPOINT:
            return refuse("the SQL would set or end a savepoint; use transaction::savepoint()");
        case SQLITE_ATTACH:
        case SQLITE_DETACH:
            return refuse(std::string("files cannot be attached here; ") + use_own);
        case SQLITE_PRAGMA:
            return decide_pragma(first, second);
        default:
            return SQLITE_OK;
    }
}

int sql_guard::decide_pragma(const char* name, const char* argument) {
    if (equals(name, "defer_foreign_keys")) {
        deferred_keys_ = true;
        return SQLITE_OK;
    }
    // Without an argument a pragma only tells, but for a few that act.
    const bool acts = equals(name, "wal_checkpoint") || equals(name, "incremental_vacuum") ||
                      equals(name, "optimize") || equals(name, "shrink_memory");
    const bool harmless = std::ranges::any_of(
        harmless_pragmas, [name](std::string_view each) { return equals(name, each); });
    if (harmless || (argument == nullptr && !acts)) return SQLITE_OK;
    return refuse("pragma " + std::string(name) +
                  " would change the connection for other callers; set it in open_options, or " +
                  use_own);
}

int sql_guard::refuse(std::string reason) {
    connection_.refusal = std::move(reason);
    return SQLITE_DENY;
}

bool schema_can_roll_back(connection_state& connection) {
    constexpr const char* sql = "select 1 from sqlite_schema where sql like '%rollback%' limit 1";
    sqlite3_stmt* statement = nullptr;
    const internal_scope passing(connection);
    int code = sqlite3_prepare_v2(connection.db, sql, -1, &statement, nullptr);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw_sql_error(connection, code, sql);
    return code == SQLITE_ROW;
}

}  // namespace skiff::detail
