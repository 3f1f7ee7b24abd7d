// An eponymous virtual table with one visible column, `value`, and one hidden column that takes the
// array as a typed pointer. The array is handed over by pointer, so no SQL changes with its length
// and nothing is copied that need not be.
#include "core/array_table.hpp"

#include <skiff/mapping/array.hpp>

#include <exception>
#include <new>

namespace skiff::detail {

namespace {

enum column { value_column = 0, array_column = 1 };
enum plan { without_array = 0, with_array = 1 };

struct array_cursor {
    sqlite3_vtab_cursor base{};  // first: SQLite sees only this
    const array_parameter* array = nullptr;
    std::size_t position = 0;
};

struct array_table {
    sqlite3_vtab base{};  // first: SQLite sees only this
    connection_state* connection = nullptr;
};

array_cursor& cursor_of(sqlite3_vtab_cursor* base) noexcept {
    return *reinterpret_cast<array_cursor*>(base);
}

int connect(
    sqlite3* db, void* connection, int, const char* const*, sqlite3_vtab** made, char**) noexcept {
    const int code = sqlite3_declare_vtab(db, "create table x(value, array hidden)");
    if (code != SQLITE_OK) return code;
    auto* table = new (std::nothrow) array_table{{}, static_cast<connection_state*>(connection)};
    if (table == nullptr) return SQLITE_NOMEM;
    *made = &table->base;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* base) noexcept {
    delete reinterpret_cast<array_table*>(base);
    return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) noexcept {
    constexpr double cost_with = 1;
    constexpr double cost_without = 2147483647;
    info->idxNum = without_array;
    info->estimatedCost = cost_without;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& each = info->aConstraint[i];
        if (each.iColumn != array_column || each.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (each.usable == 0) return SQLITE_CONSTRAINT;  // another plan gets the array first
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxNum = with_array;
        info->estimatedCost = cost_with;
        info->estimatedRows = 100;
    }
    return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) noexcept {
    auto* cursor = new (std::nothrow) array_cursor;
    if (cursor == nullptr) return SQLITE_NOMEM;
    *made = &cursor->base;
    return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* base) noexcept {
    delete &cursor_of(base);
    return SQLITE_OK;
}

int filter(
    sqlite3_vtab_cursor* base, int plan_number, const char*, int, sqlite3_value** values) noexcept {
    auto& cursor = cursor_of(base);
    cursor.position = 0;
    cursor.array = nullptr;
    if (plan_number == with_array) {
        cursor.array = static_cast<const array_parameter*>(
            sqlite3_value_pointer(values[0], array_pointer_type));
    }
    if (cursor.array == nullptr) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg =
            sqlite3_mprintf("skiff_array(?) takes a span, vector or array bound as its argument");
        return SQLITE_ERROR;
    }
    return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) noexcept {
    ++cursor_of(base).position;
    return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) noexcept {
    const auto& cursor = cursor_of(base);
    return cursor.array == nullptr || cursor.position >= cursor.array->count ? 1 : 0;
}

int read_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) noexcept {
    const auto& cursor = cursor_of(base);
    if (index != value_column) return SQLITE_OK;
    try {
        cursor.array->write(cursor.array->elements, cursor.position, value_sink(context));
    } catch (...) {
        // It reaches the caller of the statement, as what a function throws does.
        reinterpret_cast<array_table*>(base->pVtab)->connection->keep_callback_exception();
        sqlite3_result_error(context, "an element of the array cannot be stored", -1);
    }
    return SQLITE_OK;
}

int row_number(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) noexcept {
    *rowid = static_cast<sqlite3_int64>(cursor_of(base).position) + 1;
    return SQLITE_OK;
}

const sqlite3_module array_module = [] {
    sqlite3_module made{};
    made.iVersion = 0;
    made.xConnect = connect;  // no xCreate: the table is there without being created
    made.xBestIndex = best_index;
    made.xDisconnect = disconnect;
    made.xOpen = open_cursor;
    made.xClose = close_cursor;
    made.xFilter = filter;
    made.xNext = next;
    made.xEof = at_end;
    made.xColumn = read_column;
    made.xRowid = row_number;
    return made;
}();

}  // namespace

int register_array_table(connection_state& connection) noexcept {
    return sqlite3_create_module(connection.db, array_pointer_type, &array_module, &connection);
}

}  // namespace skiff::detail
