// The schema changes under a statement that is already prepared, cached or held: SQLite prepares it
// again by itself, and Skiff must see that `select *` has other columns now.
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::raw_database;
using skiff_test::temp_dir;

struct wide {
    int a;
    std::string b;
};

skiff::connection one_column() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(a)");
    cx.exec("insert into t values (1)");
    return cx;
}

void widen(skiff::connection& cx) {
    cx.exec("alter table t add column b default 'new'");
}

TEST(StatementSchema, cached_star_has_the_new_column) {
    auto cx = one_column();
    EXPECT_EQ(cx.one<int>("select * from t"), 1);

    widen(cx);

    const auto row = cx.one<std::tuple<int, std::string>>("select * from t");
    EXPECT_EQ(std::get<0>(row), 1);
    EXPECT_EQ(std::get<1>(row), "new");
}

TEST(StatementSchema, cached_star_no_longer_fits_the_old_type) {
    auto cx = one_column();
    EXPECT_EQ(cx.one<int>("select * from t"), 1);

    widen(cx);

    for (int round = 0; round < 2; ++round) {
        const auto failed = failure_of([&] { return cx.one<int>("select * from t"); });
        EXPECT_EQ(failed.code(), skiff::errc::conversion);
        EXPECT_EQ(failed.message(), "the query returns 2 columns, int takes 1");
    }
    EXPECT_EQ(code_of([&] { return cx.maybe<int>("select * from t"); }), skiff::errc::conversion);
    EXPECT_EQ(code_of([&] { return cx.all<int>("select * from t"); }), skiff::errc::conversion);
}

TEST(StatementSchema, every_way_to_read_sees_the_new_column) {
    auto cx = one_column();
    EXPECT_EQ(cx.all<int>("select * from t"), std::vector<int>{1});
    EXPECT_EQ(cx.maybe<int>("select * from t where a > ?", 0), 1);
    for (const auto& row : cx.query("select * from t order by a")) EXPECT_EQ(row.size(), 1);
    for (const int a : cx.rows<int>("select * from t order by 1")) EXPECT_EQ(a, 1);

    widen(cx);

    EXPECT_EQ(cx.all<wide>("select * from t").at(0).b, "new");
    EXPECT_EQ(cx.maybe<wide>("select * from t where a > ?", 0)->b, "new");
    for (const auto& row : cx.query("select * from t order by a")) {
        EXPECT_EQ(row.size(), 2);
        EXPECT_EQ(row.get<std::string>(1), "new");
        EXPECT_EQ(row.name(1), "b");
    }
    for (const auto& [a, b] : cx.rows<int, std::string>("select * from t order by 1")) {
        EXPECT_EQ(b, "new");
    }
}

TEST(StatementSchema, loop_of_the_old_type_fails_at_its_first_row) {
    auto cx = one_column();
    for (const int a : cx.rows<int>("select * from t")) EXPECT_EQ(a, 1);

    widen(cx);

    auto rows = cx.rows<int>("select * from t");
    EXPECT_EQ(code_of([&] { return rows.begin(); }), skiff::errc::conversion);
}

TEST(StatementSchema, held_statement_sees_the_new_column) {
    auto cx = one_column();
    auto held = cx.prepare("select * from t");
    EXPECT_EQ(held.one<int>(), 1);

    widen(cx);

    EXPECT_EQ(held.one<wide>().b, "new");
    EXPECT_EQ(held.column_count(), 2);
    EXPECT_EQ(held.column_name(1), "b");
}

TEST(StatementSchema, change_by_another_connection_is_seen) {
    const temp_dir dir;
    auto cx = skiff::connection::open(dir / "a.db");
    cx.exec("create table t(a)");
    cx.exec("insert into t values (1)");
    EXPECT_EQ(cx.one<int>("select * from t"), 1);

    raw_database(dir / "a.db").exec("alter table t add column b default 'new'");

    EXPECT_EQ(cx.one<wide>("select * from t").b, "new");
}

TEST(StatementSchema, column_that_went_is_seen) {
    auto cx = one_column();
    widen(cx);
    EXPECT_EQ(cx.one<wide>("select * from t").a, 1);

    cx.exec("alter table t drop column b");

    EXPECT_EQ(cx.one<int>("select * from t"), 1);
    EXPECT_EQ(code_of([&] { return cx.one<wide>("select * from t"); }), skiff::errc::conversion);
}

TEST(StatementSchema, no_row_is_told_with_the_new_columns_too) {
    auto cx = one_column();
    cx.exec("delete from t");
    EXPECT_EQ(cx.all<int>("select * from t"), std::vector<int>{});

    widen(cx);

    EXPECT_TRUE(cx.all<wide>("select * from t").empty());
    EXPECT_EQ(code_of([&] { return cx.one<wide>("select * from t"); }), skiff::errc::no_row);
}

TEST(StatementSchema, returning_star_writes_once_and_has_the_new_column) {
    auto cx = one_column();
    EXPECT_EQ(cx.one<int>("insert into t(a) values (?) returning *", 2), 2);

    widen(cx);

    EXPECT_EQ(cx.one<wide>("insert into t(a) values (?) returning *", 3).b, "new");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 3);
}

TEST(StatementSchema, wrong_type_of_returning_is_refused_before_it_writes) {
    auto cx = one_column();

    const auto code = code_of([&] { return cx.one<wide>("insert into t values (2) returning a"); });

    EXPECT_EQ(code, skiff::errc::conversion);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
}

TEST(StatementSchema, dropped_table_is_an_error_and_coming_back_works) {
    auto cx = one_column();
    EXPECT_EQ(cx.one<int>("select a from t"), 1);

    cx.exec("drop table t");
    const auto failed = failure_of([&] { return cx.one<int>("select a from t"); });
    cx.exec("create table t(x, a default 5)");
    cx.exec("insert into t(x) values (0)");

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "no such table: t");
    EXPECT_EQ(failed.sql(), "select a from t");
    EXPECT_EQ(cx.one<int>("select a from t"), 5);
}

TEST(StatementSchema, table_cannot_be_dropped_under_a_running_query) {
    auto cx = one_column();
    auto rows = cx.rows<int>("select a from t");
    auto at = rows.begin();

    const auto failed = failure_of([&] { cx.exec("drop table t"); });

    EXPECT_EQ(failed.code(), skiff::errc::locked);
    EXPECT_EQ(failed.advice(),
              "another statement of this connection uses the table: finish it first");
    EXPECT_EQ(*at, 1);
}

TEST(StatementSchema, schema_that_changes_all_the_time_is_followed) {
    auto cx = one_column();
    for (int extra = 1; extra <= 50; ++extra) {
        cx.exec("alter table t add column c" + std::to_string(extra));
        int columns = 0;
        for (const auto& row : cx.query("select * from t")) columns = row.size();
        EXPECT_EQ(columns, 1 + extra);
    }
}

}  // namespace
