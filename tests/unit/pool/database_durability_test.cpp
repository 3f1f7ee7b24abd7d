// wait_durable: what it syncs in each mode, and that it never claims what a failed sync left open.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace skiff_test;
using skiff::database;
using skiff::durability;
using skiff::errc;
using skiff::journal_mode;

class Durability : public testing::Test {
  protected:
    database open(durability level, journal_mode journal = journal_mode::wal) {
        skiff::open_options options;
        options.vfs = fault_vfs_name();
        options.durability = level;
        options.allow_durability_off = true;
        options.journal = journal;
        auto opened = database::open(folder / "app.db", options);
        opened.exec("create table t(id integer primary key)");
        reset_io_counts();
        return opened;
    }

    temp_dir folder;
};

TEST_F(Durability, full_commit_syncs_the_log_before_it_returns) {
    auto db = open(durability::full);

    db.exec("insert into t values (1)");

    EXPECT_EQ(io_count(io_call::sync, "-wal"), 1);
}

TEST_F(Durability, normal_commit_syncs_nothing_until_asked) {
    auto db = open(durability::normal);
    const auto commit = db.exec("insert into t values (1)").commit;
    const int after_commit = io_count(io_call::sync);

    db.wait_durable(commit);

    EXPECT_EQ(after_commit, 0);
    EXPECT_EQ(io_count(io_call::sync, "-wal"), 1);
}

TEST_F(Durability, full_commit_is_durable_without_another_sync) {
    auto db = open(durability::full);
    const auto commit = db.exec("insert into t values (1)").commit;
    const int after_commit = io_count(io_call::sync);

    db.wait_durable(commit);

    EXPECT_EQ(io_count(io_call::sync), after_commit);
}

TEST_F(Durability, off_commit_syncs_log_and_file_when_asked) {
    auto db = open(durability::off);
    const auto commit = db.exec("insert into t values (1)").commit;
    const int after_commit = io_count(io_call::sync);

    db.wait_durable(commit);

    EXPECT_EQ(after_commit, 0);
    EXPECT_GE(io_count(io_call::sync, "-wal"), 1);
    EXPECT_GE(io_count(io_call::sync, "app.db"), 1);  // a checkpoint may have moved the commit
}

TEST_F(Durability, off_commit_in_rollback_mode_syncs_the_file_when_asked) {
    auto db = open(durability::off, journal_mode::rollback);
    const auto commit = db.exec("insert into t values (1)").commit;
    const int after_commit = io_count(io_call::sync);

    db.wait_durable(commit);

    EXPECT_EQ(after_commit, 0);
    EXPECT_GE(io_count(io_call::sync, "app.db"), 1);
}

TEST_F(Durability, off_without_the_second_consent_is_refused) {
    const auto code =
        code_of([&] { return database::open(folder / "app.db", {.durability = durability::off}); });

    EXPECT_EQ(code, errc::refused);
}

TEST_F(Durability, failed_sync_is_reported_and_poisons) {
    auto db = open(durability::normal);
    const auto commit = db.exec("insert into t values (1)").commit;
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});

    const auto waited = code_of([&] { db.wait_durable(commit); });
    const auto later = code_of([&] { db.exec("insert into t values (2)"); });

    EXPECT_EQ(waited, errc::io);
    EXPECT_EQ(later, errc::poisoned);
    EXPECT_EQ(db.one<int>("select count(*) from t"), 1);
}

// The second sync of pages whose first sync failed may succeed although they are lost.
TEST_F(Durability, failed_sync_is_never_tried_again) {
    auto db = open(durability::normal);
    const auto commit = db.exec("insert into t values (1)").commit;
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});
    EXPECT_EQ(code_of([&] { db.wait_durable(commit); }), errc::io);
    reset_io_counts();

    const auto again = code_of([&] { db.wait_durable(commit); });

    EXPECT_EQ(again, errc::poisoned);
    EXPECT_EQ(io_count(io_call::sync), 0);
}

TEST_F(Durability, token_of_another_database_is_misuse) {
    auto db = open(durability::normal);
    auto other = database::open(folder / "other.db");
    const auto commit = other.exec("create table t(x)").commit;

    EXPECT_EQ(code_of([&] { db.wait_durable(commit); }), errc::misuse);
}

TEST_F(Durability, deadline_cuts_the_wait_for_the_writer) {
    auto db = open(durability::normal);
    const auto commit = db.exec("insert into t values (1)").commit;
    std::string code;

    db.write_without_transaction([&](skiff::connection&) {
        std::thread waits([&] {
            code =
                name_of(code_of([&] { db.wait_durable(commit, std::chrono::milliseconds(10)); }));
        });
        waits.join();
    });

    EXPECT_EQ(code, "SKIFF_TIMEOUT");
}

TEST_F(Durability, full_without_a_log_syncs_the_directory_too) {
    auto db = open(durability::full, journal_mode::rollback);
    int level = 0;

    db.write_without_transaction(
        [&](skiff::connection& writer) { level = writer.one<int>("pragma synchronous"); });

    EXPECT_EQ(level, 3)
        << "EXTRA: FULL may lose the last commit with the journal's directory entry";
}

}  // namespace
