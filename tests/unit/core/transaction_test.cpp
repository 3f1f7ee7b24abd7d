// Transactions as scopes: how they begin and end, in every order of calls, and moved about.
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::raw_database;
using skiff_test::temp_dir;

skiff::connection with_table(const std::filesystem::path& path = ":memory:") {
    auto cx = skiff::connection::open(path);
    cx.exec("create table t(x)");
    return cx;
}

int rows(skiff::connection& cx) {
    return cx.one<int>("select count(*) from t");
}

TEST(Transaction, commit_keeps_and_scope_end_rolls_back) {
    auto cx = with_table();
    {
        auto kept = cx.begin();
        kept.exec("insert into t values (1)");
        kept.commit();
        EXPECT_FALSE(kept.is_open());
    }
    {
        auto lost = cx.begin();
        lost.exec("insert into t values (2)");
        EXPECT_TRUE(lost.is_open());
        EXPECT_TRUE(cx.in_transaction());
    }

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(cx.all<int>("select x from t"), std::vector<int>{1});
}

TEST(Transaction, exception_rolls_back) {
    auto cx = with_table();

    try {
        auto tx = cx.begin();
        tx.exec("insert into t values (1)");
        throw std::runtime_error("x");
    } catch (const std::runtime_error&) {
        EXPECT_FALSE(cx.in_transaction());
    }

    EXPECT_EQ(rows(cx), 0);
}

TEST(Transaction, immediate_is_the_default_and_takes_the_write_lock) {
    const temp_dir dir;
    auto cx = with_table(dir / "a.db");
    raw_database stock(dir / "a.db");

    auto tx = cx.begin();

    EXPECT_EQ(stock.try_exec("insert into t values (1)"), SQLITE_BUSY);
    tx.rollback();
    EXPECT_EQ(stock.try_exec("insert into t values (1)"), SQLITE_OK);
}

TEST(Transaction, deferred_takes_no_lock_until_it_is_used) {
    const temp_dir dir;
    auto cx = with_table(dir / "a.db");
    raw_database stock(dir / "a.db");

    auto tx = cx.begin(skiff::transaction_mode::deferred);

    EXPECT_EQ(stock.try_exec("insert into t values (1)"), SQLITE_OK);
    EXPECT_EQ(tx.one<int>("select count(*) from t"), 1);
}

TEST(Transaction, exclusive_keeps_readers_out_in_rollback_mode) {
    const temp_dir dir;
    auto cx = skiff::connection::open(dir / "a.db", {.journal = skiff::journal_mode::rollback});
    cx.exec("create table t(x)");
    raw_database stock(dir / "a.db");

    auto tx = cx.begin(skiff::transaction_mode::exclusive);

    EXPECT_EQ(stock.try_exec("select * from t"), SQLITE_BUSY);
}

TEST(Transaction, second_begin_is_refused) {
    auto cx = with_table();
    auto tx = cx.begin();

    const auto failed = failure_of([&] { return cx.begin(); });

    EXPECT_EQ(failed.code(), skiff::errc::misuse);
    EXPECT_EQ(failed.message(), "a transaction is already open on this connection");
    EXPECT_EQ(failed.operation(), "begin");
    EXPECT_EQ(failed.advice(), "nest with savepoint()");
    EXPECT_TRUE(tx.is_open());
}

TEST(Transaction, everything_after_the_end_is_refused) {
    auto cx = with_table();
    auto committed = cx.begin();
    committed.exec("insert into t values (1)");
    committed.commit();
    auto rolled_back = cx.begin();
    rolled_back.rollback();

    for (auto* tx : {&committed, &rolled_back}) {
        const auto again = failure_of([&] { tx->commit(); });
        EXPECT_EQ(again.code(), skiff::errc::misuse);
        EXPECT_EQ(again.message(), "the transaction has already ended");
        EXPECT_EQ(code_of([&] { tx->rollback(); }), skiff::errc::misuse);
        EXPECT_EQ(code_of([&] { tx->exec("insert into t values (2)"); }), skiff::errc::misuse);
        EXPECT_EQ(code_of([&] { return tx->one<int>("select 1"); }), skiff::errc::misuse);
        EXPECT_EQ(code_of([&] { return tx->savepoint(); }), skiff::errc::misuse);
        EXPECT_EQ(code_of([&] { tx->exec_script("delete from t"); }), skiff::errc::misuse);
        EXPECT_FALSE(tx->is_open());
    }

    EXPECT_EQ(rows(cx), 1);
}

// KB-T6
TEST(Transaction, kb_t6_moved_transaction_ends_exactly_once) {
    auto cx = with_table();
    {
        auto first = cx.begin();
        first.exec("insert into t values (1)");

        auto second = std::move(first);

        // NOLINTNEXTLINE(bugprone-use-after-move): what a moved-from guard does is the question
        EXPECT_FALSE(first.is_open());
        EXPECT_EQ(code_of([&] { first.commit(); }), skiff::errc::misuse);
        second.exec("insert into t values (2)");
        second.commit();
    }

    EXPECT_EQ(rows(cx), 2);
    EXPECT_FALSE(cx.in_transaction());
}

// KB-T6
TEST(Transaction, kb_t6_moved_transaction_rolls_back_once) {
    auto cx = with_table();
    {
        std::optional<skiff::transaction> outer;
        {
            auto inner = cx.begin();
            inner.exec("insert into t values (1)");
            outer = std::move(inner);
        }
        EXPECT_TRUE(cx.in_transaction());
    }

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(rows(cx), 0);
}

// KB-T6, its kind: a guard that is assigned anew ends what it held.
TEST(Transaction, kb_t6_kind_assignment_ends_the_old_one) {
    auto first = with_table();
    auto second = with_table();
    auto tx = first.begin();
    tx.exec("insert into t values (1)");

    tx = second.begin();

    EXPECT_FALSE(first.in_transaction());
    EXPECT_EQ(rows(first), 0);
    tx.exec("insert into t values (1)");
    tx.commit();
    EXPECT_EQ(rows(second), 1);
}

TEST(Transaction, connection_may_move_under_it) {
    auto first = with_table();
    auto tx = first.begin();
    tx.exec("insert into t values (1)");

    auto second = std::move(first);

    tx.exec("insert into t values (2)");
    tx.commit();
    EXPECT_EQ(rows(second), 2);
}

TEST(Transaction, guards_may_outlive_their_connection) {
    std::optional<skiff::connection> cx = with_table();
    auto tx = cx->begin();
    auto sp = tx.savepoint();
    tx.exec("insert into t values (1)");

    cx.reset();

    EXPECT_FALSE(tx.is_open());
    EXPECT_FALSE(sp.is_open());
    EXPECT_EQ(code_of([&] { tx.exec("insert into t values (2)"); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { sp.release(); }), skiff::errc::misuse);
}

TEST(Transaction, close_rolls_back_what_is_open_and_ends_the_guard) {
    const temp_dir dir;
    auto cx = with_table(dir / "a.db");
    auto tx = cx.begin();
    tx.exec("insert into t values (1)");

    cx.close();

    EXPECT_FALSE(tx.is_open());
    EXPECT_EQ(skiff_test::number_in(dir / "a.db", "select count(*) from t"), 0);
}

TEST(Transaction, text_that_ends_it_is_noticed) {
    auto cx = with_table();

    for (const char* ending : {"commit", "end", "rollback"}) {
        auto tx = cx.begin();
        tx.exec(ending);

        EXPECT_FALSE(tx.is_open());
        EXPECT_EQ(code_of([&] { tx.exec("insert into t values (1)"); }), skiff::errc::misuse);
        EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::misuse);
    }

    EXPECT_EQ(rows(cx), 0);
}

TEST(Transaction, begin_inside_is_an_error_of_sqlite) {
    auto cx = with_table();
    auto tx = cx.begin();

    const auto failed = failure_of([&] { tx.exec("begin"); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "cannot start a transaction within a transaction");
    EXPECT_TRUE(tx.is_open());
}

TEST(Transaction, insert_many_undoes_all_of_its_rows_and_no_others) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x unique)");
    auto tx = cx.begin();
    tx.exec("insert into t values (1)");

    const auto failed = failure_of(
        [&] { return tx.insert_many("insert into t values (?)", std::vector<int>{2, 3, 1}); });
    EXPECT_EQ(tx.insert_many("insert into t values (?)", std::vector<int>{8, 9}), 2);
    tx.commit();

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(cx.all<int>("select x from t order by x"), (std::vector<int>{1, 8, 9}));
}

TEST(Transaction, queries_read_its_own_writes_and_others_do_not) {
    const temp_dir dir;
    auto cx = with_table(dir / "a.db");
    raw_database stock(dir / "a.db");
    auto tx = cx.begin();

    tx.exec("insert into t values (1)");

    EXPECT_EQ(tx.one<int>("select count(*) from t"), 1);
    EXPECT_EQ(stock.number("select count(*) from t"), 0);
    tx.commit();
    EXPECT_EQ(stock.number("select count(*) from t"), 1);
}

}  // namespace
