// Loops over rows: how they end early without leaving anything behind (KB-S1), and ranges that
// live longer than they should.
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

constexpr const char* thousand =
    "insert into t with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) "
    "select i from n";

skiff::connection filled(const std::filesystem::path& path,
                         const skiff::open_options& options = {}) {
    auto cx = skiff::connection::open(path, options);
    cx.exec("create table t(x)");
    cx.exec(thousand);
    return cx;
}

void leave_by_break(skiff::connection& cx) {
    for (const int x : cx.rows<int>("select x from t")) {
        if (x == 1) break;
    }
}

int leave_by_return(skiff::connection& cx) {
    for (const auto& row : cx.query("select x from t")) return row.get<int>(0);
    return 0;
}

void leave_by_exception(skiff::connection& cx) {
    try {
        for (const int x : cx.rows<int>("select x from t"))
            throw std::runtime_error(std::to_string(x));
    } catch (const std::runtime_error&) {
        return;
    }
}

void leave_by_conversion_error(skiff::connection& cx) {
    const auto read_text = [&] {
        for (const auto& text : cx.rows<std::string>("select x from t")) FAIL() << text;
    };
    EXPECT_EQ(code_of(read_text), skiff::errc::conversion);
}

void leave_by_move(skiff::connection& cx) {
    auto rows = cx.rows<int>("select x from t");
    auto at = rows.begin();
    EXPECT_EQ(*at, 1);
    auto taken = std::move(rows);
}

// KB-S1
TEST(Cursor, kb_s1_loop_left_early_holds_no_read_mark) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");
    raw_database stock(dir / "a.db");

    for (auto leave :
         {leave_by_break, leave_by_exception, leave_by_conversion_error, leave_by_move}) {
        leave(cx);
        stock.exec("insert into t values (zeroblob(4096))");
        EXPECT_EQ(stock.number("pragma wal_checkpoint(truncate)"), 0);
    }
    EXPECT_EQ(leave_by_return(cx), 1);
    EXPECT_EQ(stock.number("pragma wal_checkpoint(truncate)"), 0);
}

// KB-S1
TEST(Cursor, kb_s1_log_stays_bounded_after_a_loop_left_early) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");
    raw_database stock(dir / "a.db");
    stock.exec("pragma synchronous = off");
    leave_by_break(cx);

    for (int i = 0; i < 5000; ++i) stock.exec("insert into t values (zeroblob(4096))");

    EXPECT_LT(std::filesystem::file_size(dir / "a.db-wal"), 10'000'000U);
}

// KB-S1
TEST(Cursor, kb_s1_rollback_mode_lets_others_commit_after_a_loop_left_early) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db", {.journal = skiff::journal_mode::rollback});
    raw_database stock(dir / "a.db");

    leave_by_break(cx);
    leave_by_move(cx);

    EXPECT_EQ(stock.try_exec("insert into t values (1)"), SQLITE_OK);
}

// KB-S1, its kind: `one` must not stop at the first row of a statement that writes.
TEST(Cursor, kb_s1_kind_one_of_insert_returning_is_committed) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");

    EXPECT_EQ(cx.one<int>("insert into t values (5000) returning x"), 5000);

    EXPECT_FALSE(cx.in_transaction());
    raw_database stock(dir / "a.db");
    EXPECT_EQ(stock.number("select count(*) from t where x = 5000"), 1);
    EXPECT_EQ(stock.try_exec("insert into t values (1)"), SQLITE_OK);
}

// KB-S1, its kind: a loop that is left could not say that its commit failed.
TEST(Cursor, kb_s1_kind_loop_over_written_rows_needs_a_transaction) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");
    auto held = cx.prepare("with n as (select 1) insert into t values (6001) returning x");

    EXPECT_EQ(code_of([&] { return cx.rows<int>("insert into t values (6001) returning x"); }),
              skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { return cx.query("delete from t returning x"); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { return held.rows<int>(); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { return held.query(); }), skiff::errc::misuse);

    EXPECT_EQ(cx.one<int>("select count(*) from t where x = 6001"), 0);
    EXPECT_EQ(held.one<int>(), 6001) << "refusing left the statement usable";
}

TEST(Cursor, kb_s1_kind_statements_that_write_no_rows_can_be_looped_over) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");

    for (const auto& row : cx.query("insert into t values (6001)")) static_cast<void>(row);
    for (const auto mode : cx.rows<std::string>("pragma journal_mode=wal")) EXPECT_EQ(mode, "wal");

    EXPECT_EQ(cx.one<int>("select count(*) from t where x = 6001"), 1);
}

TEST(Cursor, kb_s1_kind_loop_left_inside_a_transaction_keeps_what_was_written) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");
    auto tx = cx.begin();

    for (const int x : tx.rows<int>("insert into t values (6001), (6002) returning x")) {
        if (x == 6001) break;
    }
    tx.commit();

    raw_database stock(dir / "a.db");
    EXPECT_EQ(stock.number("select count(*) from t where x > 6000"), 2);
}

// KB-S1, its kind: an exception in place of the rows.
TEST(Cursor, kb_s1_kind_written_rows_that_cannot_be_returned_are_not_kept) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");

    EXPECT_EQ(code_of([&] { return cx.one<int>("insert into t values ('x') returning x"); }),
              skiff::errc::conversion);
    EXPECT_EQ(code_of([&] { return cx.maybe<int>("insert into t values ('x') returning x"); }),
              skiff::errc::conversion);
    EXPECT_EQ(code_of([&] { return cx.all<int>("insert into t values (1), ('x') returning x"); }),
              skiff::errc::conversion);

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(cx.one<int>("select count(*) from t where x = 'x'"), 0);
    EXPECT_EQ(cx.one<int>("insert into t values (8001) returning x"), 8001);
    raw_database stock(dir / "a.db");
    EXPECT_EQ(stock.number("select count(*) from t where x > 8000"), 1) << "and this one is kept";
}

// KB-S1, its kind: many rows where one was wanted.
TEST(Cursor, kb_s1_kind_one_with_two_written_rows_throws_and_keeps_none) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");

    const auto failed =
        failure_of([&] { return cx.one<int>("insert into t values (7001), (7002) returning x"); });

    EXPECT_EQ(failed.code(), skiff::errc::many_rows);
    raw_database stock(dir / "a.db");
    EXPECT_EQ(stock.number("select count(*) from t where x > 7000"), 0);
}

// KB-S1, its kind: a range that is never started, and one that is stored for long.
TEST(Cursor, kb_s1_kind_range_that_is_not_started_holds_nothing) {
    const temp_dir dir;
    auto cx = filled(dir / "a.db");
    auto rows = cx.rows<int>("select x from t");
    raw_database stock(dir / "a.db");

    stock.exec("insert into t values (1)");

    EXPECT_EQ(stock.number("pragma wal_checkpoint(truncate)"), 0);
}

TEST(Cursor, closed_range_ends_its_loop) {
    auto cx = filled(":memory:");
    auto rows = cx.rows<int>("select x from t");
    int seen = 0;

    for (auto at = rows.begin(); at != rows.end(); ++at) {
        if (++seen == 3) rows.close();
    }
    rows.close();

    EXPECT_EQ(seen, 3);
}

TEST(Cursor, moved_range_goes_on_and_the_old_one_is_inert) {
    auto cx = filled(":memory:");
    auto first = cx.query("select x from t order by x");
    auto at = first.begin();
    EXPECT_EQ(at->get<int>(0), 1);

    auto second = std::move(first);

    EXPECT_EQ(second.begin()->get<int>(0), 2);  // begin() moves on to the next row
    // NOLINTNEXTLINE(bugprone-use-after-move): what a moved-from range does is the question
    EXPECT_TRUE(first.begin() == first.end());
}

TEST(Cursor, range_that_outlives_its_connection_is_closed) {
    std::optional<skiff::connection> cx = filled(":memory:");
    auto started = cx->rows<int>("select x from t");
    auto at = started.begin();
    auto waiting = cx->query("select x from t");

    cx.reset();

    EXPECT_EQ(code_of([&] { ++at; }), skiff::errc::closed);
    const auto failed = failure_of([&] { return waiting.begin(); });
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.message(), "the statement is closed");
}

TEST(Cursor, range_of_a_held_statement_outlives_both) {
    std::optional<skiff::connection> cx = filled(":memory:");
    std::optional<skiff::statement> held = cx->prepare("select x from t");
    auto rows = held->rows<int>();
    auto at = rows.begin();

    cx.reset();
    held.reset();

    EXPECT_EQ(code_of([&] { ++at; }), skiff::errc::closed);
}

TEST(Cursor, wrong_column_count_is_refused_before_the_first_row) {
    auto cx = filled(":memory:");

    const auto failed = failure_of([&] { return cx.rows<int, int>("select x from t"); });

    EXPECT_EQ(failed.code(), skiff::errc::conversion);
    EXPECT_EQ(cx.cache_stats().size, 3U);
    EXPECT_EQ(cx.all<int>("select x from t").size(), 1000U);
}

TEST(Cursor, error_in_the_middle_ends_the_loop_and_frees_the_statement) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    cx.exec("insert into t values (1), (2), (-9223372036854775808)");
    int seen = 0;

    const auto failed = failure_of([&] {
        for (const auto x : cx.rows<std::int64_t>("select abs(x) from t")) seen += x > 0 ? 1 : 0;
    });

    EXPECT_EQ(failed.message(), "integer overflow");
    EXPECT_EQ(failed.operation(), "step");
    EXPECT_EQ(failed.sql(), "select abs(x) from t");
    EXPECT_EQ(seen, 2);
    cx.close();
}

TEST(Cursor, range_cannot_be_copied) {
    static_assert(!std::is_copy_constructible_v<skiff::row_range>);
    static_assert(!std::is_copy_constructible_v<skiff::typed_rows<int>>);
    static_assert(!std::is_copy_constructible_v<skiff::row>);
    static_assert(std::is_nothrow_move_constructible_v<skiff::row_range>);
    SUCCEED();
}

}  // namespace
