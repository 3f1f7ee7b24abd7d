// An eponymous virtual table (sqlite.org/vtab.html): it is there without being created.
#include "extension/status_table.hpp"

#include "extension/host.hpp"
#include "extension/status_rows.hpp"

#include <cstddef>
#include <new>

namespace skiff::extension {

namespace {

struct table : sqlite3_vtab {
    sqlite3* db = nullptr;
};

struct cursor : sqlite3_vtab_cursor {
    std::vector<status_row> rows;
    std::size_t at = 0;
};

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** made, char**) {
    if (const int code = sqlite3_declare_vtab(db, "create table x(name, value, why)")) return code;
    auto* one = new (std::nothrow) table{};
    if (one == nullptr) return SQLITE_NOMEM;
    one->db = db;
    *made = one;
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* of) {
    delete static_cast<table*>(of);
    return SQLITE_OK;
}

int choose_index(sqlite3_vtab*, sqlite3_index_info*) {
    return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
    *made = new (std::nothrow) cursor{};
    return *made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close(sqlite3_vtab_cursor* of) {
    delete static_cast<cursor*>(of);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* of, int, const char*, int, sqlite3_value**) try {
    auto& mine = *static_cast<cursor*>(of);
    mine.rows = status_rows(static_cast<table*>(of->pVtab)->db);
    mine.at = 0;
    return SQLITE_OK;
} catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
}

int next(sqlite3_vtab_cursor* of) {
    ++static_cast<cursor*>(of)->at;
    return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* of) {
    const auto& mine = *static_cast<cursor*>(of);
    return mine.at >= mine.rows.size() ? 1 : 0;
}

int read_column(sqlite3_vtab_cursor* of, sqlite3_context* to, int column) {
    const auto& mine = *static_cast<cursor*>(of);
    const auto& row = mine.rows[mine.at];
    const auto& text = column == 0 ? row.name : column == 1 ? row.value : row.why;
    sqlite3_result_text(to, text.c_str(), -1, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

int read_rowid(sqlite3_vtab_cursor* of, sqlite3_int64* rowid) {
    *rowid = static_cast<sqlite3_int64>(static_cast<cursor*>(of)->at);
    return SQLITE_OK;
}

/// Without xCreate it exists in every database of the connection, and nobody can make another.
sqlite3_module module_of_status() noexcept {
    sqlite3_module made{};
    made.xConnect = connect;
    made.xBestIndex = choose_index;
    made.xDisconnect = disconnect;
    made.xOpen = open;
    made.xClose = close;
    made.xFilter = filter;
    made.xNext = next;
    made.xEof = is_at_end;
    made.xColumn = read_column;
    made.xRowid = read_rowid;
    return made;
}

}  // namespace

int create_status_table(sqlite3* db) noexcept {
    static const sqlite3_module module = module_of_status();
    return sqlite3_create_module_v2(db, "skiff_vfs", &module, nullptr, nullptr);
}

}  // namespace skiff::extension
