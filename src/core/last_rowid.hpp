// "Which row was inserted" told apart from "which row was inserted last, some time ago".
#pragma once

#include "core/connection_state.hpp"

namespace skiff::detail {

/// In force while a statement runs: SQLite's last rowid is 0 until the statement inserts a row, so
/// that "none" can be seen. SQL goes on seeing the earlier one through last_insert_rowid(), which
/// the connection has as a function of ours. One thread at a time.
class rowid_watch {
  public:
    explicit rowid_watch(connection_state& connection) noexcept
        : connection_(connection), before_(sqlite3_last_insert_rowid(connection.db)) {
        if (before_ == 0) return;
        connection_.earlier_rowid = before_;
        sqlite3_set_last_insert_rowid(connection_.db, 0);
    }
    ~rowid_watch() {
        if (before_ == 0) return;
        connection_.earlier_rowid = 0;
        if (sqlite3_last_insert_rowid(connection_.db) == 0) {
            sqlite3_set_last_insert_rowid(connection_.db, before_);
        }
    }
    rowid_watch(const rowid_watch&) = delete;
    rowid_watch& operator=(const rowid_watch&) = delete;

  private:
    connection_state& connection_;
    sqlite3_int64 before_;
};

/// Returns SQLite's code.
int register_last_insert_rowid(connection_state& connection) noexcept;

}  // namespace skiff::detail
