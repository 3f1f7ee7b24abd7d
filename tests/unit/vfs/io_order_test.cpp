// What reaches the disk in which order: the log's header before its frames, the log before the
// database, the database before the log begins anew. And what is not done again once it failed.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/io_trace.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/main_file.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

class IoOrder : public testing::Test {
  protected:
    IoOrder() {
        db->exec(
            "pragma busy_timeout=20000; pragma wal_autocheckpoint=0; pragma journal_mode=wal;"
            "pragma synchronous=full; create table t(id integer primary key, v text)");
        static_cast<void>(disk.take());
    }
    /// What the VFS does for some SQL.
    std::string trace_of(const std::string& sql) {
        static_cast<void>(disk.take());
        db->exec(sql);
        return disk.take();
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> db = open_ours(path);
    io_trace disk{path};
};

constexpr const char* insert = "insert into t(v) values('x')";

TEST_F(IoOrder, b6_commit_writes_its_frames_and_syncs_them) {
    EXPECT_EQ(trace_of(insert), "FS");
    EXPECT_EQ(trace_of("pragma synchronous=normal; insert into t(v) values('y')"), "F");
}

TEST_F(IoOrder, b3_header_of_a_new_log_is_synced_before_its_frames) {
    db->exec(std::string(insert) + "; pragma wal_checkpoint(restart)");
    EXPECT_EQ(trace_of(insert), "HSFS");

    db->exec("pragma wal_checkpoint(truncate); pragma synchronous=normal");
    EXPECT_EQ(trace_of(insert), "HSF");
}

TEST_F(IoOrder, b4_checkpoint_syncs_the_log_before_and_the_database_after_its_pages) {
    for (const auto* mode : {"passive", "full", "restart"}) {
        db->exec(insert);
        EXPECT_EQ(trace_of(std::string("pragma wal_checkpoint(") + mode + ")"), "SPTD") << mode;
    }
    db->exec(insert);
    EXPECT_EQ(trace_of("pragma wal_checkpoint(truncate)"), "SPTDT");
}

TEST_F(IoOrder, b4_checkpoint_of_commits_that_were_not_synced_syncs_them_first) {
    db->exec("pragma synchronous=normal");
    for (const auto* mode : {"passive", "full", "restart"}) {
        db->exec(insert);
        EXPECT_EQ(trace_of(std::string("pragma wal_checkpoint(") + mode + ")"), "SPTD") << mode;
    }
}

TEST_F(IoOrder, b5_name_of_a_new_log_is_synced_with_its_first_sync) {
    db.reset();
    ASSERT_FALSE(std::filesystem::exists(path.string() + "-wal"));
    db = open_ours(path);
    db->exec("pragma synchronous=full");

    EXPECT_EQ(trace_of(insert), "HSNFS");
    EXPECT_EQ(trace_of(insert), "FS");
}

TEST_F(IoOrder, b20_sync_of_a_commit_that_failed_is_not_done_again) {
    disk.fail_next('S');

    EXPECT_EQ(db->try_exec(insert), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(db->try_exec(insert), SQLITE_IOERR_FSYNC);

    EXPECT_EQ(disk.take(), "Fs");
}

TEST_F(IoOrder, b20_sync_of_a_header_that_failed_is_not_done_again) {
    db->exec("pragma wal_checkpoint(restart)");
    static_cast<void>(disk.take());
    disk.fail_next('S');

    EXPECT_EQ(db->try_exec(insert), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(db->try_exec(insert) & 0xff, SQLITE_IOERR);

    EXPECT_EQ(disk.take(), "Hs");
}

TEST_F(IoOrder, b18_sync_of_the_database_that_failed_ends_all_writing) {
    db->exec(insert);
    const auto other = open_ours(path);
    EXPECT_EQ(other->number("select count(*) from t"), 1);
    static_cast<void>(disk.take());
    disk.fail_next('D');

    EXPECT_EQ(db->try_exec("pragma wal_checkpoint(full)"), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(other->try_exec(insert), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(db->try_exec("pragma wal_checkpoint(full)") & 0xff, SQLITE_IOERR);

    EXPECT_EQ(disk.take(), "SPTd");
    EXPECT_EQ(other->number("select count(*) from t"), 1);
}

TEST(IoOrderOfIndex, a10_who_comes_first_empties_the_index_and_nobody_else) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    open_stock(path)->exec("pragma journal_mode=wal; create table t(x)");
    child_process other([&path](child_channel& parent) {
        const auto db = open_stock(path);
        db->exec("insert into t values(1)");
        parent.signal();
        static_cast<void>(parent.wait());
        return db->text("select count(*) from t");
    });
    ASSERT_TRUE(other.wait());
    io_trace disk(path);

    EXPECT_EQ(open_ours(path)->number("select count(*) from t"), 1);
    EXPECT_EQ(disk.take(), "");

    other.signal();
    EXPECT_EQ(other.join().answer, "1");
    EXPECT_EQ(open_ours(path)->number("select count(*) from t"), 1);
    EXPECT_EQ(disk.take().substr(0, 1), "I");
}

}  // namespace
