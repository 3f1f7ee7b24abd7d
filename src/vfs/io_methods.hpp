// SQLite's tables of functions for our two kinds of files.
#pragma once

#include <sqlite3.h>

namespace skiff::vfs {

[[nodiscard]] const sqlite3_io_methods* main_methods() noexcept;
[[nodiscard]] const sqlite3_io_methods* wal_methods() noexcept;

}  // namespace skiff::vfs
