// exec_script: several statements in one text, one after the other.
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;

skiff::connection memory() {
    return skiff::connection::open(":memory:");
}

TEST(Script, statements_run_in_order) {
    auto cx = memory();

    cx.exec_script(R"(
        -- a table and its content
        create table t(x, y);
        insert into t values (1, ';'), (2, '--');  /* two rows; one statement */
        create trigger g after insert on t begin
            update t set y = 'seen' where x = new.x;
        end;
        insert into t values (3, null);
        select * from t;  -- rows are ignored
        pragma user_version = 7
    )");

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 3);
    EXPECT_EQ(cx.one<std::string>("select y from t where x = 3"), "seen");
    EXPECT_EQ(cx.one<int>("pragma user_version"), 7);
}

TEST(Script, text_without_statement_does_nothing) {
    auto cx = memory();

    for (const std::string sql : {"", " \n", "-- a\n-- b", "/* open", ";;;"}) cx.exec_script(sql);

    EXPECT_EQ(cx.total_changes(), 0);
}

TEST(Script, error_names_the_statement_and_keeps_what_ran_before) {
    auto cx = memory();

    const auto failed = failure_of([&] {
        cx.exec_script("create table t(x); insert into t values (1); selec 1; create table u(x);");
    });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "near \"selec\": syntax error");
    ASSERT_GE(failed.sql_offset(), 0);
    EXPECT_TRUE(
        failed.sql().substr(static_cast<std::size_t>(failed.sql_offset())).starts_with("selec 1"));
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema where name = 'u'"), 0);
}

TEST(Script, error_in_a_transaction_undoes_the_whole_script) {
    auto cx = memory();
    cx.exec("create table t(x unique)");
    {
        auto tx = cx.begin();

        const auto failed = failure_of(
            [&] { tx.exec_script("insert into t values (1); insert into t values (1);"); });

        EXPECT_EQ(failed.code(), skiff::errc::constraint);
        EXPECT_EQ(failed.sql(), "insert into t values (1);");
    }

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

TEST(Script, parameters_are_refused) {
    auto cx = memory();
    cx.exec("create table t(x)");

    const auto failed = failure_of([&] { cx.exec_script("insert into t values (?)"); });

    EXPECT_EQ(failed.code(), skiff::errc::arguments);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

TEST(Script, nul_byte_is_refused_before_anything_runs) {
    auto cx = memory();
    const std::string sql = std::string("create table t(x);") + '\0' + "create table u(x);";

    EXPECT_EQ(code_of([&] { cx.exec_script(sql); }), skiff::errc::misuse);

    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema"), 0);
}

TEST(Script, long_script_takes_time_in_proportion) {
    // A copy or a scan of the rest for each statement would be 10^11 bytes of work here.
    auto cx = memory();
    cx.exec("create table t(x)");
    constexpr int count = 20'000;
    std::string sql = "begin;";
    for (int i = 0; i < count; ++i) {
        sql += "insert into t values ('" + std::string(200, 'x') + "');\n";
    }

    cx.exec_script(sql + "commit;");

    EXPECT_EQ(cx.one<int>("select count(*) from t"), count);
}

TEST(Script, scripts_do_not_enter_the_cache) {
    auto cx = memory();

    cx.exec_script("create table t(x); insert into t values (1); select 1;");

    EXPECT_EQ(cx.cache_stats().size, 0U);
}

}  // namespace
