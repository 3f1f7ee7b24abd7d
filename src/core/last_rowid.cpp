// last_insert_rowid() for SQL, under a watch and without.
#include "core/last_rowid.hpp"

namespace skiff::detail {

namespace {

void last_insert_rowid(sqlite3_context* context, int, sqlite3_value**) {
    const auto& connection = *static_cast<connection_state*>(sqlite3_user_data(context));
    const auto newest = sqlite3_last_insert_rowid(connection.db);
    sqlite3_result_int64(context, newest != 0 ? newest : connection.earlier_rowid);
}

}  // namespace

int register_last_insert_rowid(connection_state& connection) noexcept {
    // Innocuous, as SQLite's own is: triggers of an untrusted schema may call it.
    constexpr int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    return sqlite3_create_function_v2(connection.db, "last_insert_rowid", 0, flags, &connection,
                                      last_insert_rowid, nullptr, nullptr, nullptr);
}

}  // namespace skiff::detail
