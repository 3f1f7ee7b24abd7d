// `select * from skiff_vfs`: what is active, what is not and why, and what the VFS did for the
// connection's database so far.
#pragma once

struct sqlite3;

namespace skiff::extension {

/// Makes the table known to the connection; an SQLite code.
int create_status_table(sqlite3* db) noexcept;

}  // namespace skiff::extension
