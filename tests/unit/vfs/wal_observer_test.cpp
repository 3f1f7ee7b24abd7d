// What an observer is told of a log: each commit of this process, when it is durable, and when the
// log begins anew.
#include "vfs/wal_observer.hpp"

#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/io_trace.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::vfs::wal_commit;

class notebook final : public skiff::vfs::wal_observer {
  public:
    void committed(const wal_commit& commit) noexcept override { commits.push_back(commit); }
    void durable(std::uint64_t number) noexcept override { durable_up_to = number; }
    void log_restarts() noexcept override { ++restarts; }
    bool may_restart() noexcept override {
        ++asked;
        return agrees;
    }

    std::vector<wal_commit> commits;
    std::uint64_t durable_up_to = 0;
    int restarts = 0;
    std::atomic<int> asked{0};
    std::atomic<bool> agrees{true};
};

class WalObserver : public testing::Test {
  protected:
    WalObserver() {
        db->exec(
            "pragma busy_timeout=20000; pragma journal_mode=wal; pragma synchronous=normal;"
            "create table t(x)");
        control(skiff::vfs::fcntl_begin_observing);
    }
    ~WalObserver() override { control(skiff::vfs::fcntl_end_observing); }
    void control(int operation) {
        EXPECT_EQ(sqlite3_file_control(db->handle(), "main", operation,
                                       static_cast<skiff::vfs::wal_observer*>(&seen)),
                  SQLITE_OK);
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> db = open_ours(path);
    notebook seen;
};

TEST_F(WalObserver, commits_follow_each_other_without_a_gap) {
    for (int i = 0; i < 20; ++i) {
        db->exec("insert into t values(randomblob(" + std::to_string(i * 900) + "))");
    }

    ASSERT_EQ(seen.commits.size(), 20U);
    for (std::size_t at = 1; at < seen.commits.size(); ++at) {
        const auto& before = seen.commits[at - 1];
        const auto& commit = seen.commits[at];
        EXPECT_EQ(commit.last.salt, before.last.salt);
        EXPECT_EQ(commit.first_frame, before.last.frame + 1);
        EXPECT_GE(commit.last.frame, commit.first_frame);
        EXPECT_EQ(commit.number, before.number + 1);
        EXPECT_EQ(commit.page_bytes, 4096);
    }
    EXPECT_EQ(seen.commits.back().database_pages, db->number("pragma page_count"));
}

TEST_F(WalObserver, transaction_larger_than_the_cache_is_one_commit_with_all_its_frames) {
    db->exec("pragma cache_size=5");
    const auto before = db->number("pragma page_count");

    db->exec(
        "begin; with recursive i(i) as (select 1 union all select i+1 from i where i<200)"
        " insert into t select randomblob(3000) from i; update t set x=randomblob(3000); commit");

    ASSERT_EQ(seen.commits.size(), 1U);
    const auto frames = seen.commits[0].last.frame - seen.commits[0].first_frame + 1;
    EXPECT_GT(frames, db->number("pragma page_count") - before);
}

TEST_F(WalObserver, rolled_back_transaction_is_not_told) {
    db->exec("begin; insert into t values(1); rollback");

    EXPECT_TRUE(seen.commits.empty());
}

TEST_F(WalObserver, commit_is_durable_when_a_sync_covers_it) {
    db->exec("insert into t values(1)");
    EXPECT_LT(seen.durable_up_to, seen.commits.back().number);
    db->exec("pragma synchronous=full; insert into t values(2)");
    EXPECT_EQ(seen.durable_up_to, seen.commits.back().number);
    db->exec("pragma synchronous=normal; insert into t values(3)");
    EXPECT_LT(seen.durable_up_to, seen.commits.back().number);

    db->exec("pragma wal_checkpoint");

    EXPECT_EQ(seen.durable_up_to, seen.commits.back().number);
}

TEST_F(WalObserver, b14_commit_whose_sync_failed_is_never_told_to_be_durable) {
    db->exec("pragma synchronous=full; insert into t values(1)");
    io_trace disk(path);
    disk.fail_next('S');

    EXPECT_EQ(db->try_exec("insert into t values(2)"), SQLITE_IOERR_FSYNC);

    EXPECT_EQ(seen.commits.size(), 2U);
    EXPECT_EQ(seen.durable_up_to, seen.commits.front().number);
}

TEST_F(WalObserver, new_log_is_announced_before_its_first_commit) {
    db->exec("insert into t values(1); pragma wal_checkpoint(restart)");
    EXPECT_EQ(seen.restarts, 0);

    db->exec("insert into t values(2)");

    EXPECT_EQ(seen.restarts, 1);
    ASSERT_EQ(seen.commits.size(), 2U);
    EXPECT_NE(seen.commits[1].last.salt, seen.commits[0].last.salt);
    EXPECT_EQ(seen.commits[1].first_frame, 1U);
}

TEST_F(WalObserver, governor_keeps_the_log_until_the_observer_agrees) {
    sqlite3_wal_autocheckpoint(db->handle(), 0);  // the pragma would end the governor, too
    seen.agrees = false;
    db->exec("insert into t values(zeroblob(9000000))");
    const auto write_until = [this](auto&& done) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!done() && std::chrono::steady_clock::now() < until) {
            db->exec("insert into t values(1)");
        }
        return done();
    };
    EXPECT_TRUE(write_until([this] { return seen.asked >= 3; }));
    EXPECT_EQ(seen.restarts, 0);

    seen.agrees = true;

    EXPECT_TRUE(write_until([this] { return seen.restarts > 0; }));
}

}  // namespace
