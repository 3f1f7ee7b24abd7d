// T21: the -shm file is deleted or cut short by another program while it is in use. SQLite itself
// notices neither: after a deletion two indexes are written over one log.
#include "support/child_process.hpp"
#include "support/latch_gate.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/slot_fixture.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;
namespace fs = std::filesystem;
using skiff::vfs::first_read_slot;
using skiff::vfs::write_slot;

constexpr const char* insert = "insert into t(pad) values (randomblob(300))";

std::unique_ptr<raw_database> open_with_rows(const fs::path& path, int rows) {
    auto db = open_ours(path);
    db->exec(
        "pragma journal_mode=wal; pragma wal_autocheckpoint=0;"
        "create table if not exists t(n integer primary key, pad)");
    for (int row = 0; row < rows; ++row) db->exec(insert);
    return db;
}

/// Rows, or what is wrong with the file.
std::string look_at(const fs::path& path) {
    const auto db = open_stock(path);
    const auto integrity = db->text("pragma integrity_check");
    return integrity == "ok" ? db->text("select count(*) from t") : integrity;
}

/// Inserts from a stock process.
int stock_inserts(const fs::path& path, int rows) {
    const auto told = run_in_child([&] {
        const auto db = open_stock(path);
        for (int row = 0; row < rows; ++row) db->exec(insert);
        return std::string("done");
    });
    return told.answer == "done" ? rows : 0;
}

class LostIndex : public testing::Test {
  protected:
    /// Returns when a connection of this process has found out.
    void delete_index() {
        const auto watcher = open_ours(path);
        watcher->exec("select count(*) from t");
        ASSERT_TRUE(fs::remove(path.string() + "-shm"));
        const auto is_refused = [&] {
            return watcher->try_exec("select count(*) from t") == SQLITE_IOERR_SHMOPEN;
        };
        ASSERT_TRUE(wait_until(is_refused, "the deletion to be noticed"));
    }

    temp_dir folder;
    fs::path path = folder / "a.db";
};

TEST_F(LostIndex, t21_reads_and_writes_fail_after_the_deletion_and_nothing_is_lost) {
    constexpr int many = 200;  // enough for alone mode
    auto db = open_with_rows(path, many);
    delete_index();

    EXPECT_EQ(db->try_exec(insert), SQLITE_IOERR_SHMOPEN);
    EXPECT_EQ(db->try_exec("select count(*) from t"), SQLITE_IOERR_SHMOPEN);
    const int others = stock_inserts(path, many);
    EXPECT_EQ(others, many);
    EXPECT_EQ(db->try_exec(insert), SQLITE_IOERR_SHMOPEN);
    db.reset();

    EXPECT_EQ(look_at(path), std::to_string(2 * many));
    db = open_with_rows(path, 1);
    EXPECT_EQ(db->number("select count(*) from t"), 2 * many + 1);
}

TEST_F(LostIndex, t21_connection_that_came_later_is_refused_as_well) {
    const auto db = open_with_rows(path, 1);
    delete_index();

    const auto another = open_ours(path);
    EXPECT_EQ(another->try_exec(insert), SQLITE_IOERR_SHMOPEN);
}

/// Whoever closes last copies the log into the database and deletes it, without any lock of the
/// index.
TEST_F(LostIndex, t21_last_one_to_close_leaves_the_log_to_those_who_see_it) {
    constexpr int many = 200;
    auto db = open_with_rows(path, many);
    ASSERT_TRUE(fs::remove(path.string() + "-shm"));
    const int others = stock_inserts(path, many);
    EXPECT_EQ(others, many);
    db.reset();

    EXPECT_EQ(look_at(path), std::to_string(2 * many));
}

/// A transaction that began before the deletion must not end behind what others wrote since.
TEST_F(LostIndex, t21_transaction_that_goes_on_cannot_commit) {
    const auto db = open_with_rows(path, 1);
    db->exec("begin immediate");
    db->exec(insert);
    delete_index();
    const int others = stock_inserts(path, 10);
    EXPECT_EQ(others, 10);

    EXPECT_EQ(db->try_exec("commit"), SQLITE_IOERR_SHMOPEN);
    db->try_exec("rollback");
    EXPECT_EQ(look_at(path), "11");
}

/// Stock SQLite's fate, too: a mapping without its file is a signal. The log is whole.
TEST_F(LostIndex, t21_index_that_is_cut_short_ends_the_process_and_loses_nothing) {
    constexpr int rows = 50;
    child_process user([&](child_channel& with) {
        std::signal(SIGBUS, SIG_DFL);  // a sanitizer would report what is expected here
        const auto db = open_with_rows(path, rows);
        with.signal();
        if (!with.wait()) return std::string("alone");
        db->try_exec(insert);
        return std::string("survived");
    });
    ASSERT_TRUE(user.wait());
    fs::resize_file(path.string() + "-shm", 0);
    user.signal();
    const auto ended = user.join();

    EXPECT_EQ(ended.signal, SIGBUS) << ended.answer;
    EXPECT_EQ(look_at(path), std::to_string(rows));
}

using LostSlots = SlotFixture;

TEST_F(LostSlots, t21_all_locks_are_refused_once_the_index_is_gone) {
    become_alone();
    ASSERT_EQ(one.share(first_read_slot + 1), SQLITE_OK);
    host.deleted = true;
    EXPECT_TRUE(
        wait_until([&] { return table.tick() && table.is_lost(); }, "the look of the timer"));

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "----r---");
    EXPECT_EQ(two.share(first_read_slot + 1), SQLITE_IOERR_SHMOPEN);
    EXPECT_EQ(two.exclude(write_slot), SQLITE_IOERR_SHMOPEN);
    one.unshare(first_read_slot + 1);
    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_EQ(one.share(first_read_slot), SQLITE_IOERR_SHMOPEN);
}

}  // namespace
