// The sync of commits through SQLite: which are put off to a group, and what everybody is told once
// a sync has failed.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/inode.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::vfs::inode;
using skiff::vfs::wal_log;
namespace os = skiff::vfs::os;

class CommitSync : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open(const std::string& parameters = {}) const {
        auto db = open_ours(path, parameters);
        db->exec(
            "pragma busy_timeout=20000; pragma wal_autocheckpoint=0;"
            "pragma journal_mode=wal; pragma synchronous=full");
        return db;
    }
    /// What the process's connections share of the log that is open.
    [[nodiscard]] std::shared_ptr<wal_log> log() const { return log_of(path); }
    static std::shared_ptr<wal_log> log_of(const std::filesystem::path& of) {
        const std::string name = of.string() + "-wal";
        const auto database = os::open_file(of.c_str(), O_RDWR, 0);
        const auto opened = os::open_file(name.c_str(), O_RDWR, 0);
        const auto node = inode::find_or_make(database.fd, of.c_str(), true);
        auto found = node->attach_log(opened.fd, name.c_str());
        os::close_file(opened.fd);
        os::close_file(database.fd);
        return found;
    }
    [[nodiscard]] std::uint64_t group_commits() const { return log()->group_commits.load(); }
    /// From now on the group's syncs fail: its descriptor is that of a pipe.
    void break_group_sync() const {
        std::array<int, 2> ends{};
        ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
        ASSERT_GE(dup3(ends[0], log()->fd, O_CLOEXEC), 0);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    [[nodiscard]] std::int64_t rows_elsewhere() const {
        const auto told =
            run_in_child([this] { return open_stock(path)->text("select count(*) from t"); });
        return told.exit_code == 0 ? std::stoll(told.answer) : -1;
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
};

TEST_F(CommitSync, b1_commit_at_full_is_synced_by_the_group) {
    const auto db = open();
    db->exec("create table t(id integer primary key)");
    const auto shared = log();
    const auto commits = shared->group_commits.load();
    const auto syncs = shared->syncs.syncs();

    db->exec("insert into t values(1); insert into t values(2)");

    EXPECT_EQ(shared->group_commits.load() - commits, 2U);
    EXPECT_EQ(shared->syncs.syncs() - syncs, 2U);
}

TEST_F(CommitSync, b1_commit_at_normal_is_not_synced) {
    const auto db = open();
    db->exec("create table t(id integer primary key); pragma synchronous=normal");
    const auto commits = group_commits();

    db->exec("insert into t values(1)");

    EXPECT_EQ(group_commits(), commits);
}

TEST_F(CommitSync, b2_commit_in_exclusive_mode_is_not_put_off) {
    const auto db = open();
    db->exec(
        "create table t(id integer primary key); pragma locking_mode=exclusive;"
        "insert into t values(1)");
    const auto commits = group_commits();

    db->exec("insert into t values(2)");

    EXPECT_EQ(group_commits(), commits);
    EXPECT_EQ(db->number("select count(*) from t"), 2);
}

TEST_F(CommitSync, b3_header_of_a_new_log_is_synced_at_once_and_only_commits_are_put_off) {
    const auto db = open();
    db->exec("create table t(id integer primary key); insert into t values(1)");
    for (const auto* mode : {"restart", "truncate"}) {
        db->exec(std::string("pragma wal_checkpoint(") + mode + ")");
        const auto commits = group_commits();

        db->exec("insert into t select max(id)+1 from t");

        EXPECT_EQ(group_commits() - commits, 1U) << mode;
    }
}

TEST_F(CommitSync, b5_first_commit_to_a_log_of_another_process_syncs_its_name) {
    ASSERT_EQ(run_in_child([this] {
                  auto db = open();
                  db->exec("create table t(id integer primary key); insert into t values(1)");
                  static_cast<void>(db.release());
                  return std::string("left");
              }).answer,
              "left");
    const auto db = open();
    ASSERT_EQ(db->number("select count(*) from t"), 1);
    ASSERT_FALSE(log()->directory_synced);

    db->exec("insert into t values(2)");

    EXPECT_TRUE(log()->directory_synced);
    EXPECT_EQ(group_commits(), 0U);
    db->exec("insert into t values(3)");
    EXPECT_EQ(group_commits(), 1U);
}

TEST_F(CommitSync, b11_commit_of_nothing_needs_no_sync) {
    const auto db = open();
    db->exec("create table t(id integer primary key)");
    const auto shared = log();
    const auto syncs = shared->syncs.syncs();

    db->exec("begin immediate; commit; begin; select * from t; commit");

    EXPECT_EQ(shared->syncs.syncs(), syncs);
}

// When the first file of two fails, SQLite asks for no sync of the second (rule B15).
TEST_F(CommitSync, b11_sync_that_nobody_asked_for_is_done_before_the_next_transaction) {
    const auto second = folder / "b.db";
    open_ours(second)->exec("pragma journal_mode=wal; create table u(id integer primary key)");
    const auto db = open();
    db->exec("create table t(id integer primary key); attach '" + second.string() + "' as b");
    db->exec("pragma b.synchronous=full; insert into b.u values(1); insert into b.u values(2)");
    break_group_sync();
    ASSERT_EQ(db->try_exec("begin; insert into t values(1); insert into b.u values(3); commit"),
              SQLITE_IOERR_FSYNC);
    const auto before = log_of(second)->syncs.syncs();

    db->exec("insert into b.u values(4)");

    EXPECT_EQ(log_of(second)->syncs.syncs() - before, 2U);
}

TEST_F(CommitSync, b21_after_a_failed_sync_other_processes_neither_write_nor_checkpoint) {
    const auto db = open();
    db->exec("create table t(id integer primary key); insert into t values(1)");
    break_group_sync();
    ASSERT_EQ(db->try_exec("insert into t values(2)"), SQLITE_IOERR_FSYNC);

    const auto told = run_in_child([this] {
        const auto other = open_stock(path);
        const int written = other->try_exec("insert into t values(3)");
        const auto copied = other->number("pragma wal_checkpoint(passive)");
        return std::to_string(written) + " " + std::to_string(copied);
    });

    EXPECT_EQ(told.answer, std::to_string(SQLITE_BUSY) + " 1");
}

TEST_F(CommitSync, b16_failed_sync_is_an_io_error_of_the_commit) {
    const auto db = open();
    db->exec("create table t(id integer primary key)");
    break_group_sync();

    EXPECT_EQ(db->try_exec("insert into t values(1)"), SQLITE_IOERR_FSYNC);

    EXPECT_EQ(sqlite3_get_autocommit(db->handle()), 1);
    EXPECT_EQ(log()->syncs.poisoned_by(), EINVAL);
}

TEST_F(CommitSync, b19_after_a_failed_sync_nothing_is_written_and_reads_go_on) {
    const auto one = open();
    one->exec("create table t(id integer primary key); insert into t values(1)");
    const auto two = open();
    two->exec("insert into t values(2)");
    break_group_sync();
    ASSERT_EQ(one->try_exec("insert into t values(3)"), SQLITE_IOERR_FSYNC);

    const int written = two->try_exec("insert into t values(4)");
    const int begun = one->try_exec("begin immediate");
    const int checkpoint = two->try_exec("pragma wal_checkpoint(truncate)");
    const auto late = open_ours(path);

    EXPECT_EQ(written, SQLITE_IOERR_FSYNC);
    EXPECT_EQ(begun, SQLITE_IOERR_FSYNC);
    EXPECT_EQ(checkpoint & 0xff, SQLITE_IOERR);
    EXPECT_EQ(late->number("select count(*) from t where id<3"), 2);
    EXPECT_EQ(late->try_exec("insert into t values(5)") & 0xff, SQLITE_IOERR);
    EXPECT_EQ(two->number("select count(*) from t where id<3"), 2);
}

TEST_F(CommitSync, b18_poison_lasts_until_the_last_connection_is_closed) {
    auto one = open();
    one->exec("create table t(id integer primary key); insert into t values(1)");
    auto two = open();
    two->exec("select * from t");
    break_group_sync();
    ASSERT_EQ(one->try_exec("insert into t values(2)"), SQLITE_IOERR_FSYNC);

    one.reset();
    EXPECT_EQ(two->try_exec("insert into t values(3)"), SQLITE_IOERR_FSYNC);
    two.reset();

    const auto anew = open();
    EXPECT_EQ(anew->try_exec("insert into t values(4)"), SQLITE_OK);
    EXPECT_EQ(anew->number("select count(*) from t where id in (1,4)"), 2);
    EXPECT_EQ(anew->text("pragma integrity_check"), "ok");
}

TEST_F(CommitSync, group_of_many_threads_loses_nothing) {
    open()->exec("create table t(id integer primary key)");
    constexpr int threads_count = 8;
    constexpr int rows = 30;
    const auto keeper = open();
    keeper->exec("insert into t values(-1)");
    const auto commits = group_commits();
    std::vector<std::thread> threads;
    std::vector<std::string> problems(threads_count);
    for (int thread = 0; thread < threads_count; ++thread) {
        threads.emplace_back([&, thread] {
            try {
                const auto db = open();
                for (int row = 0; row < rows; ++row) {
                    db->exec("insert into t values(" + std::to_string(thread * 1000 + row) + ")");
                }
            } catch (const std::exception& thrown) {
                problems[static_cast<std::size_t>(thread)] = thrown.what();
            }
        });
    }
    for (auto& each : threads) each.join();

    EXPECT_EQ(problems, std::vector<std::string>(threads_count));
    EXPECT_EQ(group_commits() - commits, std::uint64_t{threads_count} * rows);
    EXPECT_LE(log()->syncs.syncs(), log()->group_commits.load());
    EXPECT_EQ(rows_elsewhere(), threads_count * rows + 1);
    EXPECT_EQ(keeper->text("pragma integrity_check"), "ok");
}

TEST_F(CommitSync, b18_log_that_was_replaced_under_open_connections_is_refused) {
    const auto one = open();
    one->exec("create table t(id integer primary key)");
    const std::string log = path.string() + "-wal";
    std::filesystem::rename(log, log + ".old");
    std::filesystem::copy_file(log + ".old", log);

    const auto other = open_ours(path);

    EXPECT_EQ(other->try_exec("select * from t") & 0xff, SQLITE_CANTOPEN);
}

}  // namespace
