// Skiff's VFS for connections that are opened with SQLite's own calls.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/vfs.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace skiff_test {
namespace {

std::string vfs_of(const raw_database& db) {
    char* name = nullptr;
    sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_VFSNAME, static_cast<void*>(&name));
    std::string found = name != nullptr ? name : "";
    sqlite3_free(name);
    return found;
}

TEST(RegisterVfs, connection_that_names_it_gets_it) {
    const temp_dir folder;
    skiff::register_vfs();
    skiff::register_vfs();

    const raw_database named(folder / "a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             skiff::vfs_name);
    const raw_database unnamed(folder / "b.db");

    EXPECT_EQ(vfs_of(named), "skiff");
    EXPECT_EQ(vfs_of(unnamed), "unix");
}

// In a process of its own: the default would be that of the other tests as well.
TEST(RegisterVfs, default_is_for_all_connections) {
    const temp_dir folder;

    const auto told = run_in_child([&] {
        skiff::register_vfs(skiff::vfs_default::yes);
        return vfs_of(raw_database(folder / "a.db"));
    });

    EXPECT_EQ(told.answer, "skiff");
}

}  // namespace
}  // namespace skiff_test
