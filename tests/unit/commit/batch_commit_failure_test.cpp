// COMMITs that fail under several callers. Where nothing was stored, statements run again and
// closures are told (D15); where something may have been stored, everybody is told so and nobody is
// run again (D14). After a failed sync nothing is written any more until the file is opened anew.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::errc;
using skiff::transaction;
using strings = std::vector<std::string>;

class CommitFails : public testing::Test {
  protected:
    CommitFails() {
        db.exec("create table t(id integer primary key)");
        db.exec("insert into t values (100)");
    }

    /// Lines up a statement, a closure and a statement, and counts how often each ran.
    void line_up(write_line& line) {
        line.add([this] { insert_by_statement(1); });
        line.add([this] {
            db.write([this](transaction& tx) {
                ++closure_runs;
                tx.exec("insert into t values (2)");
            });
        });
        line.add([this] { insert_by_statement(3); });
    }
    /// A statement that counts its runs by a function.
    void insert_by_statement(int id) { db.exec("insert into t values (counted(?))", id); }
    void count_statements() {
        db.define_function("counted", [this](int id) {
            ++statement_runs;
            return id;
        });
    }
    void set_commit_hook(int (*hook)(void*)) {
        db.write_without_transaction([&](skiff::connection& writer) {
            sqlite3_commit_hook(writer.native_handle(), hook, &vetoes);
        });
    }
    std::vector<int> ids() { return db.all<int>("select id from t order by id"); }

    std::atomic<int> closure_runs{0};
    std::atomic<int> statement_runs{0};
    int vetoes = 0;
    temp_dir folder;
    skiff::database db = skiff::database::open(folder / "app.db", without_disk());
};

int veto_while_positive(void* left) {
    return (*static_cast<int*>(left))-- > 0 ? 1 : 0;
}

TEST_F(CommitFails, d15_veto_once_runs_statements_again_and_tells_the_closure) {
    count_statements();
    vetoes = 1;
    set_commit_hook(veto_while_positive);
    write_line line(db);
    line_up(line);

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"ok", "SKIFF_BATCH_ABORTED", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3, 100}));
    EXPECT_EQ(closure_runs.load(), 1);
    EXPECT_EQ(statement_runs.load(), 4);
    EXPECT_EQ(db.stats().batches_aborted, 1U);
}

TEST_F(CommitFails, d4_veto_of_everything_reaches_everybody) {
    count_statements();
    vetoes = 1000;
    set_commit_hook(veto_while_positive);
    write_line line(db);
    line_up(line);

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings),
              (strings{"SQLITE_CONSTRAINT", "SKIFF_BATCH_ABORTED", "SQLITE_CONSTRAINT"}));
    EXPECT_EQ(endings[0].extended_code, SQLITE_CONSTRAINT_COMMITHOOK);
    EXPECT_EQ(ids(), (std::vector{100}));
}

TEST_F(CommitFails, d15_full_disk_at_commit_runs_statements_again) {
    count_statements();
    write_line line(db);
    line_up(line);
    const fault_scope full({.call = io_call::write, .code = SQLITE_FULL, .file = "-wal"});

    const auto endings = line.finish();

    EXPECT_TRUE(full.fired());
    EXPECT_EQ(names_of(endings), (strings{"ok", "SKIFF_BATCH_ABORTED", "ok"}));
    EXPECT_EQ(endings[1].extended_code, SQLITE_FULL);
    EXPECT_EQ(ids(), (std::vector{1, 3, 100}));
}

TEST_F(CommitFails, d14_failed_write_of_the_log_is_unknown_to_everybody) {
    count_statements();
    write_line line(db);
    line_up(line);
    const fault_scope broken({.call = io_call::write, .file = "-wal"});

    const auto endings = line.finish();

    EXPECT_TRUE(broken.fired());
    EXPECT_EQ(names_of(endings), strings(3, "SKIFF_OUTCOME_UNKNOWN"));
    EXPECT_EQ(closure_runs.load(), 1);
    EXPECT_EQ(statement_runs.load(), 2);
}

TEST_F(CommitFails, d14_failed_sync_is_unknown_to_everybody_and_never_run_again) {
    count_statements();
    write_line line(db);
    line_up(line);
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});

    const auto endings = line.finish();

    EXPECT_TRUE(broken.fired());
    EXPECT_EQ(names_of(endings), strings(3, "SKIFF_OUTCOME_UNKNOWN"));
    EXPECT_EQ(endings[1].extended_code, SQLITE_IOERR_FSYNC);
    EXPECT_EQ(closure_runs.load(), 1);
    EXPECT_EQ(statement_runs.load(), 2);
    EXPECT_EQ(db.stats().batches_aborted, 0U);
}

TEST_F(CommitFails, d14_lone_writer_is_told_the_same) {
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});

    const auto code = code_of([&] { db.exec("insert into t values (1)"); });

    EXPECT_EQ(code, errc::outcome_unknown);
}

TEST_F(CommitFails, failed_sync_poisons_every_later_write) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});
        EXPECT_EQ(code_of([&] { db.exec("insert into t values (1)"); }), errc::outcome_unknown);
    }
    reset_io_counts();

    const auto statement = code_of([&] { db.exec("insert into t values (2)"); });
    const auto closure = code_of([&] { db.write([](transaction&) {}); });
    const auto outside = code_of([&] {
        db.write_without_transaction(
            [](skiff::connection& writer) { writer.exec("insert into t values (3)"); });
    });

    EXPECT_EQ(statement, errc::poisoned);
    EXPECT_EQ(closure, errc::poisoned);
    EXPECT_EQ(outside, errc::poisoned);
    EXPECT_EQ(io_count(io_call::write, "-wal"), 0);
    EXPECT_EQ(io_count(io_call::sync), 0);
}

TEST_F(CommitFails, failed_sync_leaves_reading_as_it_was) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});
        EXPECT_EQ(code_of([&] { db.exec("insert into t values (1)"); }), errc::outcome_unknown);
    }

    auto snap = db.read();

    EXPECT_EQ(ids(), (std::vector{100}));
    EXPECT_EQ(snap.one<int>("select count(*) from t"), 1);
}

TEST_F(CommitFails, failed_sync_is_not_synced_again_by_close) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});
        EXPECT_EQ(code_of([&] { db.exec("insert into t values (1)"); }), errc::outcome_unknown);
    }
    reset_io_counts();

    db.close();

    EXPECT_EQ(io_count(io_call::sync), 0);
}

TEST_F(CommitFails, acknowledged_rows_are_there_after_opening_again) {
    {
        const fault_scope broken({.call = io_call::sync, .file = "-wal"});
        EXPECT_EQ(code_of([&] { db.exec("insert into t values (1)"); }), errc::outcome_unknown);
    }
    db.close();

    auto again = skiff::database::open(folder / "app.db", without_disk());
    again.exec("insert into t values (5)");

    EXPECT_EQ(again.one<int>("select count(*) from t where id in (5, 100)"), 2);
    EXPECT_EQ(integrity_of(folder / "app.db"), "ok");
}

TEST_F(CommitFails, poisoned_batch_is_refused_as_a_whole) {
    write_line line(db);
    line.add([this] { db.exec("insert into t values (1)"); });
    line.add([this] {
        skiff::write_options options;
        options.alone = true;
        db.write([](transaction& tx) { tx.exec("insert into t values (2)"); }, options);
    });
    line.add([this] { db.exec("insert into t values (3)"); });
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings),
              (strings{"SKIFF_OUTCOME_UNKNOWN", "SKIFF_POISONED", "SKIFF_POISONED"}));
}

TEST_F(CommitFails, failed_sync_of_a_checkpoint_keeps_the_commit_and_poisons) {
    const fault_scope broken({.call = io_call::sync, .file = "app.db"});

    const auto filled = ending_of([&] {
        db.exec(
            "create table big as with recursive n(i) as (select 1 union all select i + 1 from n "
            "limit 3000) select i, zeroblob(2000) from n");
    });
    const auto later = code_of([&] { db.exec("insert into t values (1)"); });

    EXPECT_TRUE(broken.fired());
    EXPECT_TRUE(filled.ok) << filled;
    EXPECT_EQ(later, errc::poisoned);
    EXPECT_EQ(db.one<int>("select count(*) from big"), 3000);
}

TEST_F(CommitFails, busy_commit_in_rollback_mode_stores_nothing) {
    auto options = without_disk();
    options.journal = skiff::journal_mode::rollback;
    options.busy_timeout = std::chrono::milliseconds(50);
    auto classic = skiff::database::open(folder / "classic.db", options);
    classic.exec("create table t(id integer primary key)");
    raw_database stock(folder / "classic.db");
    stock.exec("begin; select count(*) from t");

    const auto code = code_of([&] { classic.exec("insert into t values (1)"); });
    stock.exec("commit");
    classic.exec("insert into t values (2)");

    EXPECT_EQ(code, errc::busy);
    EXPECT_EQ(classic.all<int>("select id from t"), (std::vector{2}));
}

}  // namespace
