// The rows of the table `skiff_vfs`.
#pragma once

#include <string>
#include <vector>

struct sqlite3;

namespace skiff::extension {

struct status_row {
    std::string name;
    std::string value;
    std::string why;  ///< empty where there is nothing to explain
};

/// As of now. Throws std::bad_alloc.
[[nodiscard]] std::vector<status_row> status_rows(sqlite3* db);

}  // namespace skiff::extension
