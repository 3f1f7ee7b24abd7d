// Rule B14: a program can wait until what it has read is on the disk, and pays for a sync only when
// it may not be there yet.
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/io_interceptor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

namespace {

using namespace skiff_test;
using skiff::vfs::io_event;

/// Counts syncs, and fails them when asked to.
class counted_syncs final : public skiff::vfs::io_interceptor {
  public:
    counted_syncs() { install(this); }
    ~counted_syncs() override { install(nullptr); }
    int before(const io_event& event) noexcept override {
        if (event.what != io_event::kind::sync) return 0;
        ++count;
        return error;
    }
    void after(const io_event&, int) noexcept override {}

    std::atomic<int> count{0};
    std::atomic<int> error{0};
};

class DurableRead : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open(const char* synchronous) const {
        auto db = open_ours(path);
        db->exec(
            "pragma journal_mode=wal; create table if not exists t(x); insert into t values(0);"
            "pragma synchronous=" +
            std::string(synchronous));
        return db;
    }
    static int wait_durable(raw_database& db) {
        return sqlite3_file_control(db.handle(), "main", skiff::vfs::fcntl_wait_durable, nullptr);
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    counted_syncs syncs;
};

TEST_F(DurableRead, b14_commit_that_was_not_synced_is_synced_once) {
    const auto db = open("normal");
    db->exec("insert into t values(1)");
    const int before = syncs.count;

    EXPECT_EQ(wait_durable(*db), SQLITE_OK);
    EXPECT_EQ(syncs.count - before, 1);
    EXPECT_EQ(wait_durable(*db), SQLITE_OK);
    EXPECT_EQ(syncs.count - before, 1);
}

TEST_F(DurableRead, b14_commit_that_was_synced_costs_nothing) {
    const auto db = open("full");
    db->exec("insert into t values(1)");
    const auto reader = open_ours(path);
    ASSERT_EQ(reader->number("select count(*) from t"), 2);
    const int before = syncs.count;

    EXPECT_EQ(wait_durable(*reader), SQLITE_OK);

    EXPECT_EQ(syncs.count, before);
}

TEST_F(DurableRead, b14_commit_of_another_program_is_synced) {
    const auto db = open("full");
    const auto other = open_stock(path);
    other->exec("pragma synchronous=normal; insert into t values(1)");
    ASSERT_EQ(db->number("select count(*) from t"), 2);
    const int before = syncs.count;

    EXPECT_EQ(wait_durable(*db), SQLITE_OK);

    EXPECT_EQ(syncs.count - before, 1);
}

TEST_F(DurableRead, b14_checkpointed_log_costs_nothing) {
    const auto db = open("normal");
    db->exec("insert into t values(1); pragma wal_checkpoint(truncate)");
    const int before = syncs.count;

    EXPECT_EQ(wait_durable(*db), SQLITE_OK);

    EXPECT_EQ(syncs.count, before);
}

TEST_F(DurableRead, b14_failed_sync_is_told_and_poisons) {
    const auto db = open("normal");
    db->exec("insert into t values(1)");
    syncs.error = EIO;

    EXPECT_EQ(wait_durable(*db), SQLITE_IOERR_FSYNC);

    syncs.error = 0;
    EXPECT_EQ(wait_durable(*db), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(db->try_exec("insert into t values(2)") & 0xff, SQLITE_IOERR);
}

TEST_F(DurableRead, b14_database_without_a_log_is_synced_itself) {
    const auto db = open("normal");
    db->exec("pragma journal_mode=delete; insert into t values(1)");
    const int before = syncs.count;

    EXPECT_EQ(wait_durable(*db), SQLITE_OK);

    EXPECT_EQ(syncs.count - before, 1);
}

}  // namespace
