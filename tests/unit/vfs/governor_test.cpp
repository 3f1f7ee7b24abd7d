// The VFS's own checkpoints must not be noticed by programs that know nothing of them.
#include "support/delays.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace {

using namespace skiff_test;

std::uint64_t log_resets_of(raw_database& db) {
    skiff::vfs::vfs_status status;
    sqlite3_file_control(db.handle(), "main", skiff::vfs::fcntl_status, &status);
    return status.log_resets;
}

// Found by SQLite's walslow-4.2.2 and e_walauto-1.1.7: one writer, no busy timeout. The reader
// makes the governor hold the write lock for as long as it has patience.
TEST(Governor, only_writer_never_hears_that_the_database_is_locked) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec("pragma journal_mode=wal; pragma synchronous=normal; create table t(x)");
    const auto reader = open_ours(path);
    reader->exec("begin; select count(*) from t");
    int refused = 0;

    constexpr int twice_the_log_that_is_held = 400;
    for (int i = 0; i < twice_the_log_that_is_held; ++i) {
        refused += db->try_exec("insert into t values(zeroblob(40000))") != SQLITE_OK ? 1 : 0;
    }

    EXPECT_EQ(refused, 0);
    EXPECT_EQ(db->number("select count(*) from t"), twice_the_log_that_is_held);
}

// Who waits for the governor must not hold a read mark: the governor would wait for it.
TEST(Governor, log_of_a_writer_with_the_shortest_patience_is_reset) {
    const temp_dir folder;
    const auto db = open_ours(folder / "a.db");
    sqlite3_wal_autocheckpoint(db->handle(), 0);
    db->exec(
        "pragma busy_timeout=1; pragma journal_mode=wal; pragma synchronous=normal;"
        "create table t(x); insert into t values(zeroblob(9000000))");
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);

    while (log_resets_of(*db) == 0 && std::chrono::steady_clock::now() < until) {
        ASSERT_EQ(db->try_exec("insert into t values(1)"), SQLITE_OK);
    }

    EXPECT_GT(log_resets_of(*db), 0U);
}

TEST(Governor, t11_held_up_between_any_two_steps_it_loses_nothing) {
    const temp_dir folder;
    const delays held_up(test_seed());
    auto db = open_ours(folder / "a.db");
    db->exec("pragma journal_mode=wal; pragma synchronous=full; create table t(x)");
    const auto reader = open_ours(folder / "a.db");

    reader->exec("begin; select count(*) from t");
    db->exec("insert into t values(zeroblob(9000000))");
    reader->exec("commit");
    int rows = 1;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);

    while (log_resets_of(*db) == 0 && std::chrono::steady_clock::now() < until) {
        db->exec("insert into t values(zeroblob(300000))");
        EXPECT_EQ(reader->number("select count(*) from t"), ++rows);
    }
    db.reset();

    using enum skiff::delay_point;
    EXPECT_EQ(delays::not_passed(governor_copied, governor_agreed), 0);
    EXPECT_EQ(reader->text("pragma integrity_check"), "ok");
}

// Backup tools rely on it that frames stay in the log until they have seen them.
TEST(Governor, program_that_turns_automatic_checkpoints_off_has_none) {
    const temp_dir folder;
    const auto db = open_ours(folder / "a.db");
    db->exec(
        "pragma journal_mode=wal; pragma synchronous=normal; pragma wal_autocheckpoint=0;"
        "create table t(x); insert into t values(zeroblob(9000000))");

    for (int i = 0; i < 2000; ++i) db->exec("insert into t values(1)");

    skiff::vfs::vfs_status status;
    sqlite3_file_control(db->handle(), "main", skiff::vfs::fcntl_status, &status);
    EXPECT_FALSE(status.checkpoints);
    EXPECT_EQ(status.checkpoint_runs, 0U);
    EXPECT_EQ(db->number("pragma wal_autocheckpoint"), 0);
}

}  // namespace
