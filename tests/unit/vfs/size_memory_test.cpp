// The file's size is remembered while the wal-index says that the log is empty, and no longer:
// found by SQLite's superlock-6.
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/registry.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

namespace {

using namespace skiff_test;

TEST(VfsSizeMemory, size_seen_in_wal_mode_is_forgotten_when_the_connection_leaves_it) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec("create table t(x); pragma journal_mode=wal");
    ASSERT_EQ(db->number("select count(*) from t"), 0);
    db->exec(
        "pragma journal_mode=delete;"
        "with recursive n(i) as (select 1 union all select i+1 from n where i<100)"
        " insert into t select zeroblob(3000) from n; pragma journal_mode=wal");

    EXPECT_EQ(db->number("select count(*) from t"), 100);

    db->exec("insert into t values(zeroblob(3000))");
    EXPECT_EQ(integrity_of(path), "ok");
}

/// Reads all the time, so that alone mode goes on; stops with its destruction.
class busy_reader {
  public:
    explicit busy_reader(const std::filesystem::path& path)
        : thread_([this, path] {
              const auto db = open_ours(path);
              while (!ends_) static_cast<void>(db->number("select count(*) from sqlite_schema"));
          }) {}
    busy_reader(const busy_reader&) = delete;
    busy_reader& operator=(const busy_reader&) = delete;
    ~busy_reader() {
        ends_ = true;
        thread_.join();
    }

  private:
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

/// A checkpoint asks for the size, too, and takes a database that is too short for damaged.
TEST(VfsSizeMemory, size_is_forgotten_once_something_was_committed) {
    for (int round = 0; round < 5; ++round) {
        const temp_dir folder;
        const auto path = folder / "a.db";
        open_ours(path)->exec("pragma journal_mode=wal; create table t(x)");
        const auto db = open_ours(path);
        db->exec("pragma synchronous=normal; pragma wal_autocheckpoint=0");
        const busy_reader reader(path);
        wait_until(
            [&] {
                for (int i = 0; i < 20; ++i)
                    static_cast<void>(db->number("select count(*) from t"));
                skiff::vfs::vfs_status status;
                sqlite3_file_control(db->handle(), "main", skiff::vfs::fcntl_status, &status);
                return status.is_alone;
            },
            "alone mode");

        db->exec(
            "with recursive n(i) as (select 1 union all select i+1 from n where i<300)"
            " insert into t select zeroblob(3000) from n; pragma wal_checkpoint(restart);"
            "insert into t values(1)");

        EXPECT_EQ(db->try_exec("pragma wal_checkpoint(passive)"), SQLITE_OK);
        EXPECT_EQ(db->number("select count(*) from t"), 301);
    }
}

/// Has a database to itself and replaces it, as SQLite's test_superlock.c does: the wal-index is
/// made invalid, the file written, and whoever comes next makes a new index.
void replace_database(const std::filesystem::path& path, const std::filesystem::path& by) {
    const auto db = open_ours(path);
    ASSERT_EQ(db->number("select count(*) from sqlite_schema"), 1);
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    const auto& calls = *file->pMethods;
    volatile void* index = nullptr;
    constexpr int exclusive = SQLITE_SHM_EXCLUSIVE;
    ASSERT_EQ(calls.xShmLock(file, 2, 1, SQLITE_SHM_LOCK | exclusive), SQLITE_OK);
    ASSERT_EQ(calls.xShmMap(file, 0, 32768, 1, &index), SQLITE_OK);
    std::memset(const_cast<void*>(index), 0, 32);
    ASSERT_EQ(calls.xShmLock(file, 3, 5, SQLITE_SHM_LOCK | exclusive), SQLITE_OK);
    std::filesystem::copy_file(by, path, std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(calls.xShmLock(file, 2, 1, SQLITE_SHM_UNLOCK | exclusive), SQLITE_OK);
    ASSERT_EQ(calls.xShmLock(file, 3, 5, SQLITE_SHM_UNLOCK | exclusive), SQLITE_OK);
}

TEST(VfsSizeMemory, size_is_forgotten_when_somebody_had_the_file_to_himself) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    open_ours(folder / "b.db")
        ->exec(
            "create table t(x); pragma journal_mode=wal;"
            "with recursive n(i) as (select 1 union all select i+1 from n where i<100)"
            " insert into t select zeroblob(3000) from n");
    const auto db = open_ours(path);
    db->exec("create table t(x); pragma journal_mode=wal");
    for (int i = 0; i < 20; ++i) ASSERT_EQ(db->number("select count(*) from t"), 0);

    replace_database(path, folder / "b.db");

    EXPECT_EQ(db->number("select count(*) from t"), 100);
}

}  // namespace
