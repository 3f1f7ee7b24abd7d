// After a failed sync nobody knows what the disk holds (rules B17 to B20): the commit is reported
// as unknown, the connection writes no more, it never syncs again, and reading goes on.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::fault_scope;
using skiff_test::how_long;
using skiff_test::integrity_of;
using skiff_test::io_call;
using skiff_test::io_count;
using skiff_test::number_in;
using skiff_test::temp_dir;

class CoreSyncFailure : public testing::Test {
  protected:
    CoreSyncFailure() : path(dir / "a.db"), cx(open()) {
        cx.exec("create table t(x unique)");
        cx.exec("insert into t values (1)");
    }

    [[nodiscard]] skiff::connection open(skiff::journal_mode journal = skiff::journal_mode::wal) {
        return skiff::connection::open(path,
                                       {.journal = journal, .vfs = skiff_test::fault_vfs_name()});
    }

    /// What must hold on the connection after a failed sync, and after opening the file again.
    void expect_poisoned_and_sound() {
        const auto refused = failure_of([&] { cx.exec("insert into t values (100)"); });
        EXPECT_EQ(refused.code(), skiff::errc::poisoned);
        EXPECT_EQ(refused.extended_code(), SQLITE_IOERR_FSYNC);
        EXPECT_NE(refused.advice().find("close and open the database again"),
                  std::string_view::npos);
        EXPECT_FALSE(cx.in_transaction());
        EXPECT_EQ(cx.one<int>("select count(*) from t where x = 1"), 1);
        skiff_test::reset_io_counts();
        cx.close();
        EXPECT_EQ(io_count(io_call::sync), 0) << "a second sync may report success for lost data";
        EXPECT_EQ(io_count(io_call::write, "a.db"), 0);
        EXPECT_EQ(integrity_of(path), "ok");
        auto again = open();
        EXPECT_EQ(again.one<int>("select count(*) from t where x = 1"), 1);
        EXPECT_EQ(again.one<int>("select count(*) from t where x = 100"), 0);
        again.exec("insert into t values (101)");
    }

    temp_dir dir;
    std::filesystem::path path;
    skiff::connection cx;
};

TEST_F(CoreSyncFailure, commit_is_unknown_and_stops_writes) {
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});

        const auto failed = failure_of([&] { tx.commit(); });

        EXPECT_TRUE(broken.fired());
        EXPECT_EQ(failed.code(), skiff::errc::outcome_unknown);
        EXPECT_EQ(failed.extended_code(), SQLITE_IOERR_FSYNC);
        EXPECT_EQ(failed.operation(), "commit");
        EXPECT_EQ(failed.message(),
                  "the commit failed and may or may not be stored: disk I/O error");
        EXPECT_EQ(failed.advice(), "open the database again and look before repeating the work");
        EXPECT_FALSE(tx.is_open());
    }

    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, error_is_thrown_as_its_own_class) {
    const fault_scope broken({.call = io_call::sync});

    EXPECT_THROW(cx.exec("insert into t values (2)"), skiff::outcome_unknown);
}

TEST_F(CoreSyncFailure, autocommit_write_is_unknown_and_stops_writes) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});

        const auto failed = failure_of([&] { cx.exec("insert into t values (2)"); });

        EXPECT_EQ(failed.code(), skiff::errc::outcome_unknown);
        EXPECT_EQ(failed.sql(), "insert into t values (2)");
    }

    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, commit_as_text_is_unknown_and_stops_writes) {
    cx.exec("begin");
    cx.exec("insert into t values (2)");
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});

        EXPECT_EQ(code_of([&] { cx.exec(" /* x */ COMMIT"); }), skiff::errc::outcome_unknown);
    }

    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, release_as_text_is_unknown_and_cannot_be_repeated) {
    cx.exec("savepoint mine");
    cx.exec("insert into t values (2)");
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});

        EXPECT_EQ(code_of([&] { cx.exec("release mine"); }), skiff::errc::outcome_unknown);
    }

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(code_of([&] { cx.exec("release mine"); }), skiff::errc::generic);
    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, outermost_savepoint_is_unknown_and_stops_writes) {
    {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (2)");
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});

        EXPECT_EQ(code_of([&] { sp.release(); }), skiff::errc::outcome_unknown);

        EXPECT_FALSE(sp.is_open());
    }

    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, every_way_to_write_is_refused_and_every_way_to_read_works) {
    auto held = cx.prepare("insert into t values (?)");
    auto reader = cx.prepare("select x from t where x = 1");
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});
        EXPECT_EQ(code_of([&] { held.exec(2); }), skiff::errc::outcome_unknown);
    }
    const auto expect_refused = [](auto&& call) {
        EXPECT_EQ(code_of(call), skiff::errc::poisoned);
    };
    auto memory = skiff::connection::open(":memory:");

    expect_refused([&] { held.exec(3); });
    expect_refused([&] { return cx.begin(); });
    expect_refused([&] { return cx.savepoint(); });
    expect_refused([&] { cx.exec_script("select 1; delete from t;"); });
    expect_refused([&] { return cx.insert_many("insert into t values (?)", std::vector{3}); });
    expect_refused([&] { return cx.open_blob({"t", "x", 1}, skiff::blob_access::read_write); });
    expect_refused([&] { memory.backup_to(cx); });
    expect_refused([&] { cx.exec("pragma wal_checkpoint"); });
    expect_refused([&] { cx.exec("create table u(x)"); });
    {
        auto tx = cx.begin(skiff::transaction_mode::deferred);
        expect_refused([&] { tx.exec("insert into t values (3)"); });
        EXPECT_EQ(tx.one<int>("select count(*) from t where x = 1"), 1);
    }
    EXPECT_EQ(reader.one<int>(), 1);
    cx.backup_to(memory);
    EXPECT_EQ(memory.one<int>("select count(*) from t where x = 1"), 1);
}

TEST_F(CoreSyncFailure, checkpoint_after_a_commit_keeps_the_commit_and_stops_writes) {
    const std::string big(4000, 'x');
    bool reached = false;
    int stored = 1;
    for (int id = 1000; id < 3000 && !reached; ++id) {
        const fault_scope broken({.call = io_call::sync, .file = "a.db"});
        cx.exec("insert into t values (?)", std::to_string(id) + big);
        ++stored;
        reached = broken.fired();
    }
    ASSERT_TRUE(reached) << "no checkpoint came";

    EXPECT_EQ(cx.one<int>("select count(*) from t"), stored);
    expect_poisoned_and_sound();
    EXPECT_EQ(number_in(path, "select count(*) from t where x <> 101"), stored);
}

TEST_F(CoreSyncFailure, checkpoint_interval_set_by_pragma_is_kept_and_watched) {
    const int before = cx.one<int>("pragma wal_autocheckpoint");
    const int set = cx.one<int>("pragma wal_autocheckpoint=3");
    cx.exec_script("pragma wal_autocheckpoint;");
    const int after = cx.one<int>("pragma wal_autocheckpoint");
    {
        const fault_scope broken({.call = io_call::sync, .file = "a.db"});
        for (int id = 2; id < 10 && !broken.fired(); ++id) cx.exec("insert into t values (?)", id);
        EXPECT_TRUE(broken.fired()) << "no checkpoint after so few pages";
    }

    EXPECT_EQ(before, 1000);
    EXPECT_EQ(set, 3);
    EXPECT_EQ(after, 3);
    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, checkpoint_as_a_statement_stops_writes) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "a.db"});

        const auto failed = failure_of([&] { cx.exec("pragma wal_checkpoint(truncate)"); });

        EXPECT_EQ(failed.extended_code(), SQLITE_IOERR_FSYNC);
    }

    expect_poisoned_and_sound();
}

TEST_F(CoreSyncFailure, rollback_journal_mode_is_unknown_and_stops_writes) {
    cx.close();
    cx = open(skiff::journal_mode::rollback);
    for (const char* file : {"a.db", "a.db-journal"}) {
        {
            const fault_scope broken({.call = io_call::sync, .file = file});
            EXPECT_EQ(code_of([&] { cx.exec("insert into t values (2)"); }),
                      skiff::errc::outcome_unknown)
                << file;
        }
        EXPECT_EQ(code_of([&] { cx.exec("delete from t"); }), skiff::errc::poisoned) << file;
        cx.close();
        EXPECT_EQ(integrity_of(path), "ok");
        EXPECT_EQ(number_in(path, "select count(*) from t where x = 1"), 1);
        cx = open(skiff::journal_mode::rollback);
        cx.exec("delete from t where x = 2");
    }
}

TEST_F(CoreSyncFailure, failed_write_at_commit_is_unknown_but_writing_goes_on) {
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");
    {
        const fault_scope broken({.call = io_call::write, .file = "-wal"});
        EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::outcome_unknown);
    }
    EXPECT_FALSE(tx.is_open());

    cx.exec("insert or ignore into t values (3)");

    EXPECT_EQ(cx.one<int>("select count(*) from t where x in (1, 3)"), 2);
    EXPECT_EQ(integrity_of(path), "ok");
}

TEST_F(CoreSyncFailure, full_disk_at_commit_stores_nothing_and_writing_goes_on) {
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");
    {
        const fault_scope full({.call = io_call::write, .code = SQLITE_FULL, .file = "-wal"});
        EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::full);
    }
    EXPECT_FALSE(tx.is_open());

    EXPECT_EQ(code_of([&] { tx.exec("insert into t values (3)"); }), skiff::errc::misuse);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
    cx.exec("insert into t values (2)");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 2);
}

TEST_F(CoreSyncFailure, durability_off_does_not_sync_at_all) {
    cx.close();
    cx = skiff::connection::open(path, {.durability = skiff::durability::off,
                                        .allow_durability_off = true,
                                        .vfs = skiff_test::fault_vfs_name()});
    skiff_test::reset_io_counts();

    cx.exec("insert into t values (2)");

    EXPECT_EQ(io_count(io_call::sync), 0);
}

TEST_F(CoreSyncFailure, durability_full_syncs_every_commit_and_normal_does_not) {
    skiff_test::reset_io_counts();
    for (int id = 10; id < 15; ++id) cx.exec("insert into t values (?)", id);
    const int full = io_count(io_call::sync, "-wal");
    cx.close();
    cx = skiff::connection::open(
        path, {.durability = skiff::durability::normal, .vfs = skiff_test::fault_vfs_name()});
    cx.exec("insert into t values (20)");
    skiff_test::reset_io_counts();

    for (int id = 30; id < 35; ++id) cx.exec("insert into t values (?)", id);

    EXPECT_EQ(full, 5);
    EXPECT_EQ(io_count(io_call::sync, "-wal"), 0);
}

}  // namespace
