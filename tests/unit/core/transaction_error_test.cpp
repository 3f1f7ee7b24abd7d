// Transactions that meet errors: a COMMIT that fails and stays open (KB-T3), an error that rolled
// everything back, and guards that outlive the transaction they began.
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::raw_database;
using skiff_test::temp_dir;

skiff::connection rollback_mode(const std::filesystem::path& path) {
    auto cx = skiff::connection::open(
        path, {.journal = skiff::journal_mode::rollback, .busy_timeout = 50ms});
    cx.exec("create table t(x)");
    return cx;
}

skiff::connection unique_table() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x unique)");
    cx.exec("insert into t values (1)");
    return cx;
}

// KB-T3
TEST(TransactionError, kb_t3_busy_commit_stays_open_and_can_be_repeated) {
    const temp_dir dir;
    auto cx = rollback_mode(dir / "a.db");
    raw_database stock(dir / "a.db");
    stock.exec("begin");
    EXPECT_EQ(stock.number("select count(*) from t"), 0);
    auto tx = cx.begin();
    tx.exec("insert into t values (1)");

    const auto failed = failure_of([&] { tx.commit(); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.operation(), "commit");
    EXPECT_EQ(failed.sql(), "COMMIT");
    EXPECT_TRUE(tx.is_open());
    EXPECT_TRUE(cx.in_transaction());
    stock.exec("commit");
    tx.commit();
    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(stock.number("select count(*) from t"), 1);
}

// KB-T3
TEST(TransactionError, kb_t3_busy_commit_can_be_rolled_back) {
    const temp_dir dir;
    auto cx = rollback_mode(dir / "a.db");
    raw_database stock(dir / "a.db");
    stock.exec("begin");
    EXPECT_EQ(stock.number("select count(*) from t"), 0);
    {
        auto tx = cx.begin();
        tx.exec("insert into t values (1)");
        EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::busy);
    }

    stock.exec("commit");

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(stock.number("select count(*) from t"), 0);
    EXPECT_EQ(stock.try_exec("insert into t values (2)"), SQLITE_OK);
}

// KB-T3: the same for a savepoint that began the transaction.
TEST(TransactionError, kb_t3_busy_release_of_the_outermost_savepoint_stays_open) {
    const temp_dir dir;
    auto cx = rollback_mode(dir / "a.db");
    raw_database stock(dir / "a.db");
    stock.exec("begin");
    EXPECT_EQ(stock.number("select count(*) from t"), 0);
    auto sp = cx.savepoint();
    cx.exec("insert into t values (1)");

    EXPECT_EQ(code_of([&] { sp.release(); }), skiff::errc::busy);

    EXPECT_TRUE(sp.is_open());
    stock.exec("commit");
    sp.release();
    EXPECT_EQ(stock.number("select count(*) from t"), 1);
}

// KB-T3, its kind: deferred foreign keys.
TEST(TransactionError, kb_t3_kind_deferred_foreign_key_fails_commit_and_stays_open) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec_script(
        "create table p(id integer primary key);"
        "create table c(p references p deferrable initially deferred);");
    auto tx = cx.begin();
    tx.exec("insert into c values (5)");

    const auto failed = failure_of([&] { tx.commit(); });

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(failed.extended_code(), SQLITE_CONSTRAINT_FOREIGNKEY);
    EXPECT_EQ(failed.message(), "FOREIGN KEY constraint failed");
    EXPECT_TRUE(tx.is_open());
    tx.exec("insert into p values (5)");
    tx.commit();
    EXPECT_EQ(cx.one<int>("select count(*) from c"), 1);
}

// KB-T3, its kind: a statement that still writes.
TEST(TransactionError, kb_t3_kind_running_writer_fails_commit_and_stays_open) {
    auto cx = unique_table();
    auto tx = cx.begin();
    auto rows = cx.rows<int>("insert into t values (2), (3) returning x");
    auto at = rows.begin();
    EXPECT_EQ(*at, 2);

    const auto failed = failure_of([&] { tx.commit(); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.message(), "cannot commit transaction - SQL statements in progress");
    EXPECT_TRUE(tx.is_open());
    rows.close();
    tx.commit();
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 3);
}

// KB-T3, its kind: a blob that is open for writing.
TEST(TransactionError, kb_t3_kind_open_blob_fails_commit_and_stays_open) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(b)");
    cx.exec("insert into t values (zeroblob(4))");
    auto tx = cx.begin();
    auto stream = cx.open_blob({"t", "b", 1}, skiff::blob_access::read_write);
    stream.write(std::vector<std::byte>(4, std::byte{7}), 0);

    EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::busy);

    EXPECT_TRUE(tx.is_open());
    stream.close();
    tx.commit();
    EXPECT_EQ(cx.one<std::string>("select hex(b) from t"), "07070707");
}

// KB-T3, its kind: a query that only reads does not hinder a commit.
TEST(TransactionError, kb_t3_kind_running_query_lets_commit_through) {
    auto cx = unique_table();
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");
    auto rows = cx.rows<int>("select x from t order by x");
    auto at = rows.begin();

    tx.commit();

    ++at;
    EXPECT_EQ(*at, 2);
}

TEST(TransactionError, rollback_stops_a_running_query) {
    auto cx = unique_table();
    auto tx = cx.begin();
    tx.exec("create table u(x)");
    auto rows = cx.rows<int>("select x from t union all select 2");
    auto at = rows.begin();

    tx.rollback();

    const auto failed = failure_of([&] { ++at; });
    EXPECT_EQ(failed.code(), skiff::errc::abort);
    EXPECT_EQ(failed.extended_code(), SQLITE_ABORT_ROLLBACK);
}

TEST(TransactionError, error_that_rolled_back_is_told_by_the_guard) {
    auto cx = unique_table();
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");

    EXPECT_EQ(code_of([&] { tx.exec("insert or rollback into t values (1)"); }),
              skiff::errc::constraint);

    EXPECT_FALSE(tx.is_open());
    EXPECT_FALSE(cx.in_transaction());
    const auto failed = failure_of([&] { tx.exec("insert into t values (3)"); });
    EXPECT_EQ(failed.code(), skiff::errc::misuse);
    EXPECT_EQ(failed.advice(),
              "it was committed, released or rolled back before, or an error or "
              "SQL text ended it");
    EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::misuse);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
}

TEST(TransactionError, trigger_that_rolls_back_is_told_by_the_guard) {
    auto cx = unique_table();
    cx.exec(
        "create trigger g before insert on t when new.x = 13 begin "
        "select raise(rollback, 'unlucky'); end");
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");
    auto sp = tx.savepoint();

    const auto failed = failure_of([&] { tx.exec("insert into t values (13)"); });

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(failed.message(), "unlucky");
    EXPECT_FALSE(sp.is_open());
    EXPECT_EQ(code_of([&] { sp.release(); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { return tx.savepoint(); }), skiff::errc::misuse);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
}

TEST(TransactionError, guard_of_a_lost_transaction_leaves_the_next_one_alone) {
    auto cx = unique_table();
    auto lost = cx.begin();
    EXPECT_EQ(code_of([&] { lost.exec("insert or rollback into t values (1)"); }),
              skiff::errc::constraint);
    auto next = cx.begin();
    next.exec("insert into t values (2)");

    EXPECT_EQ(code_of([&] { lost.exec("insert into t values (3)"); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { lost.commit(); }), skiff::errc::misuse);
    {
        auto gone = std::move(lost);
    }

    EXPECT_TRUE(next.is_open());
    next.commit();
    EXPECT_EQ(cx.all<int>("select x from t order by x"), (std::vector<int>{1, 2}));
}

TEST(TransactionError, retry_into_the_same_guard_works) {
    auto cx = unique_table();
    auto tx = cx.begin();
    EXPECT_EQ(code_of([&] { tx.exec("insert or rollback into t values (1)"); }),
              skiff::errc::constraint);

    tx = cx.begin();
    tx.exec("insert into t values (2)");
    tx.commit();

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 2);
}

TEST(TransactionError, savepoint_of_a_lost_transaction_leaves_the_next_one_alone) {
    auto cx = unique_table();
    auto lost = cx.savepoint();
    EXPECT_EQ(code_of([&] { cx.exec("insert or rollback into t values (1)"); }),
              skiff::errc::constraint);
    auto next = cx.savepoint();
    cx.exec("insert into t values (2)");

    EXPECT_EQ(code_of([&] { lost.release(); }), skiff::errc::misuse);
    {
        auto gone = std::move(lost);
    }

    next.release();
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 2);
}

TEST(TransactionError, constraint_keeps_the_transaction_open) {
    auto cx = unique_table();
    auto tx = cx.begin();
    tx.exec("insert into t values (2)");

    const auto failed = failure_of([&] { tx.exec("insert into t values (1)"); });
    tx.commit();

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(failed.extended_code(), SQLITE_CONSTRAINT_UNIQUE);
    EXPECT_EQ(failed.message(), "UNIQUE constraint failed: t.x");
    EXPECT_EQ(failed.sql(), "insert into t values (1)");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 2);
}

TEST(TransactionError, full_database_undoes_the_statement_and_is_told) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    EXPECT_EQ(cx.one<int>("pragma max_page_count = 10"), 10);
    auto tx = cx.begin();
    tx.exec("insert into t values (1)");

    const auto failed = failure_of([&] { tx.exec("insert into t values (zeroblob(100000))"); });

    EXPECT_EQ(failed.code(), skiff::errc::full);
    EXPECT_EQ(failed.advice(),
              "free space on the disk or raise max_page_count; nothing was committed");
    EXPECT_EQ(tx.is_open(), cx.in_transaction());
    if (tx.is_open()) tx.rollback();
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

}  // namespace
