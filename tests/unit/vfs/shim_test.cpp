// VFSes on top of ours, as test suites, encryption and compression have them.
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <stdexcept>
#include <vector>

namespace {

using namespace skiff_test;

sqlite3_vfs* ours() {
    if (skiff::vfs::register_vfs() != SQLITE_OK) throw std::runtime_error("register_vfs");
    return sqlite3_vfs_find(skiff::vfs::vfs_name);
}

/// Kept until the files are closed: SQLite's own VFS looks at them until then.
std::vector<sqlite3_filename>& copies() {
    static std::vector<sqlite3_filename> all;
    return all;
}

/// Opens logs under copies of their names, as SQLite's multiplexor does.
int open_under_a_copy(
    sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    if (name != nullptr && (flags & SQLITE_OPEN_WAL) != 0) {
        name = copies().emplace_back(sqlite3_create_filename(name, "", "", 0, nullptr));
    }
    return ours()->xOpen(ours(), name, file, flags, flags_out);
}

TEST(VfsShim, log_under_a_name_that_sqlite_did_not_make_is_opened) {
    const temp_dir folder;
    sqlite3_vfs shim = *ours();
    shim.zName = "under_a_copy";
    shim.xOpen = open_under_a_copy;
    shim.pNext = nullptr;
    ASSERT_EQ(sqlite3_vfs_register(&shim, 0), SQLITE_OK);
    {
        raw_database db(folder / "a.db", open_flags, shim.zName);

        db.exec("pragma journal_mode=wal; create table t(x); insert into t values(1)");

        EXPECT_EQ(db.number("select x from t"), 1);
        EXPECT_EQ(open_ours(folder / "a.db")->number("select x from t"), 1);
    }
    sqlite3_vfs_unregister(&shim);
    for (const auto each : copies()) sqlite3_free_filename(each);
    EXPECT_EQ(integrity_of(folder / "a.db"), "ok");
}

}  // namespace
