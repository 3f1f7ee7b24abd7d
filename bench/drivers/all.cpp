// Every driver, in the order of the tables' columns.
#include "drivers/c_api.hpp"
#include "drivers/driver.hpp"
#include "drivers/limit.hpp"
#include "drivers/skiff_drivers.hpp"

#include <algorithm>

namespace skiff_bench {

const std::vector<driver_entry>& all_drivers() {
    static const std::vector<driver_entry> all{
        {"c", "SQLite's C interface and VFS, a connection a thread", "plain", open_c, {}},
        {"c-mmap", "the same with mmap_size set", "plain", open_c_mmap, {"mmap_size"}},
        {"c-engine", "c, unchanged, on Skiff's build of SQLite", "ours", open_c, {}},
        {"c-vfs", "c, unchanged, on Skiff's VFS", "plain", open_c_vfs, {"vfs"}},
        {"c-vfs-mmap",
         "c-mmap, unchanged, on Skiff's VFS",
         "plain",
         open_c_vfs_mmap,
         {"vfs", "mmap_size"}},
        {"skiff-connection",
         "skiff::connection, one a thread, statements held",
         "ours",
         open_skiff_connection,
         {"vfs", "mmap_size"}},
        {"skiff-database",
         "one skiff::database for all threads, SQL text at each call",
         "ours",
         open_skiff_database,
         {"vfs", "mmap_size"}},
        {"limit",
         "reads in one open transaction; inserts as a raw append and fdatasync",
         "plain",
         open_limit,
         {"vfs", "mmap_size"},
         false},
    };
    return all;
}

const driver_entry* find_driver(std::string_view name) {
    const auto& all = all_drivers();
    const auto found = std::ranges::find(all, name, &driver_entry::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace skiff_bench
