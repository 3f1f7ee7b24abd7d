// What the files beside a database may be used for: made for whoever may use the database, and
// read where they cannot be written (SQLite's own tests: wal2-12 and wal2-13).
#include "support/child_process.hpp"
#include "support/full_disk.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <system_error>

namespace {

using namespace skiff_test;

namespace fs = std::filesystem;

fs::perms mode_of(const fs::path& path) {
    return fs::status(path).permissions();
}

class VfsPermissions : public testing::Test {
  protected:
    VfsPermissions()
        : path(dir / "a.db"), wal(path.string() + "-wal"), shm(path.string() + "-shm") {
        open_ours(path)->exec(
            "pragma journal_mode=wal; create table t(x); insert into t values(7)");
    }

    /// Copies the database as a process leaves it that does not close it, for everybody to read;
    /// nobody may write `fixed`. Then reads and writes the copy as a user without rights.
    std::string use_without_right_to_write(const std::string& fixed) {
        const auto db = open_ours(path);
        db->exec("insert into t values(8)");
        const auto copy = dir / "copy.db";
        for (const std::string end : {"", "-wal", "-shm"}) {
            fs::copy_file(path.string() + end, copy.string() + end);
            fs::permissions(copy.string() + end, fs::perms(end == fixed ? 0444 : 0666));
        }
        fs::permissions(dir.path(), fs::perms(0777));
        return run_in_child([&]() -> std::string {
                   std::error_code denied;
                   if (!drop_privileges() || !fs::exists(copy, denied)) return "unreachable";
                   const auto mine = open_ours(copy);
                   return std::to_string(mine->number("select sum(x) from t")) + " " +
                          std::to_string(mine->try_exec("insert into t values(9)") & 0xff);
               })
            .answer;
    }

    temp_dir dir;
    fs::path path;
    fs::path wal;
    fs::path shm;
};

TEST_F(VfsPermissions, files_beside_a_shared_database_get_what_the_umask_would_take) {
    fs::permissions(path, fs::perms(0666));
    const auto before = umask(022);

    const auto db = open_ours(path);
    db->exec("insert into t values(8)");

    umask(before);
    EXPECT_EQ(mode_of(wal), fs::perms(0666));
    EXPECT_EQ(mode_of(shm), fs::perms(0666));
}

TEST_F(VfsPermissions, file_that_exists_keeps_its_permissions) {
    const auto db = open_ours(path);
    db->exec("insert into t values(8)");
    fs::permissions(path, fs::perms(0666));
    fs::permissions(wal, fs::perms(0600));

    open_ours(path)->exec("insert into t values(9)");

    EXPECT_EQ(mode_of(wal), fs::perms(0600));
}

TEST_F(VfsPermissions, log_that_cannot_be_written_is_read) {
    const auto told = use_without_right_to_write("-wal");

    if (told == "unreachable") GTEST_SKIP() << "a folder above is closed to others";
    EXPECT_EQ(told, "15 " + std::to_string(SQLITE_READONLY));
}

TEST_F(VfsPermissions, database_whose_index_cannot_be_written_is_read) {
    const auto told = use_without_right_to_write("-shm");

    if (told == "unreachable") GTEST_SKIP() << "a folder above is closed to others";
    EXPECT_EQ(told, "15 " + std::to_string(SQLITE_READONLY));
}

}  // namespace
