// What counts as one SQL statement, where a text is wrong, and how names are quoted: through the
// public API (KB-S2), and the small scanner behind it directly.
#include "core/sql_text.hpp"

#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;

skiff::connection memory() {
    return skiff::connection::open(":memory:");
}

// KB-S2
TEST(SqlText, kb_s2_comment_after_statement_is_not_a_second_statement) {
    auto cx = memory();

    EXPECT_EQ(cx.one<int>("select 1;"), 1);
    EXPECT_EQ(cx.one<int>("select 1; -- end"), 1);
    EXPECT_EQ(cx.one<int>("select 1; /* x */ ;"), 1);
    EXPECT_EQ(cx.one<int>("select 1 -- end\n ; ;; /* a */ -- b"), 1);
}

// KB-S2
TEST(SqlText, kb_s2_second_statement_is_refused_at_its_offset) {
    auto cx = memory();

    const auto failed = failure_of([&] { return cx.one<int>("select 1; select 2"); });

    EXPECT_EQ(failed.code(), skiff::errc::second_statement);
    EXPECT_EQ(failed.operation(), "prepare");
    EXPECT_EQ(failed.sql(), "select 1; select 2");
    EXPECT_EQ(failed.sql_offset(), 10);
    EXPECT_EQ(failed.advice(), "run them one by one, or use exec_script for a script");
}

// KB-S2
TEST(SqlText, kb_s2_text_without_statement_is_a_clear_error) {
    auto cx = memory();

    for (const std::string sql : {"", " \n\t", "-- only a comment", "/* x */", ";", " ; ;"}) {
        const auto failed = failure_of([&] { cx.exec(sql); });
        EXPECT_EQ(failed.code(), skiff::errc::empty_statement) << sql;
        EXPECT_EQ(failed.message(), "the text holds no SQL statement") << sql;
        EXPECT_EQ(failed.sql(), sql);
    }
}

// KB-S2, its kind: guesses about SQL text.
TEST(SqlText, kb_s2_kind_semicolons_and_marks_inside_are_left_alone) {
    auto cx = memory();

    EXPECT_EQ(cx.one<std::string>("select ';--' || '?' || \"a;b\" from (select 'x' as \"a;b\")"),
              ";--?x");
    EXPECT_EQ(cx.one<int>("select 1 /* ; select ? */ where ':a' = ':a' -- ?"), 1);
    EXPECT_EQ(cx.one<int>("select ?1 + ?1", 2), 4);
}

// KB-S2, its kind: a `;` in a trigger body.
TEST(SqlText, kb_s2_kind_trigger_body_is_one_statement) {
    auto cx = memory();
    cx.exec("create table t(x)");

    cx.exec("create trigger g after insert on t begin update t set x = 1; delete from t; end; --");

    cx.exec("insert into t values (5)");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

// KB-S2, its kind: a byte order mark is white space for SQLite, so it must be for us.
TEST(SqlText, kb_s2_kind_byte_order_mark_is_blank) {
    auto cx = memory();

    EXPECT_EQ(cx.one<int>("\xEF\xBB\xBFselect 1; \xEF\xBB\xBF"), 1);
    EXPECT_EQ(code_of([&] { cx.exec("\xEF\xBB\xBF"); }), skiff::errc::empty_statement);
    cx.exec_script("\xEF\xBB\xBF");
    cx.exec_script("\xEF\xBB\xBF create table t(x); \xEF\xBB\xBF");
    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema"), 1);
}

TEST(SqlText, syntax_error_names_the_offset_of_the_wrong_word) {
    auto cx = memory();

    const auto failed = failure_of([&] { cx.exec("select 1 fromm t"); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.extended_code(), 1);
    EXPECT_EQ(failed.operation(), "prepare");
    EXPECT_EQ(failed.message(), "near \"t\": syntax error");
    EXPECT_EQ(failed.sql(), "select 1 fromm t");
    EXPECT_EQ(failed.sql_offset(), 15);
}

TEST(SqlText, unknown_name_gives_its_offset) {
    auto cx = memory();

    const auto table = failure_of([&] { cx.exec("select 1 from nowhere"); });
    const auto column = failure_of([&] { cx.exec("select 1, absent"); });

    EXPECT_EQ(table.message(), "no such table: nowhere");
    EXPECT_EQ(column.message(), "no such column: absent");
    EXPECT_EQ(column.sql_offset(), 10);
}

TEST(SqlText, offset_of_an_earlier_error_is_not_reported_again) {
    auto cx = memory();
    cx.exec("create table t(x primary key)");
    cx.exec("insert into t values (?)", 1);
    EXPECT_EQ(failure_of([&] { cx.exec("select 1 fromm t"); }).sql_offset(), 15);

    const auto failed = failure_of([&] { cx.exec("insert into t values (?)", 1); });

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(failed.sql_offset(), -1);
}

TEST(SqlText, nul_byte_is_refused_at_its_offset) {
    auto cx = memory();
    const std::string_view sql("select 1\0; drop table t", 23);

    const auto failed = failure_of([&] { cx.exec(sql); });

    EXPECT_EQ(failed.code(), skiff::errc::misuse);
    EXPECT_EQ(failed.message(), "SQL text holds a NUL byte");
    EXPECT_EQ(failed.sql_offset(), 8);
    EXPECT_EQ(failed.advice(), "bind values with zero bytes as arguments instead");
}

TEST(SqlText, text_over_the_limit_is_too_big) {
    auto cx = memory();
    cx.set_limit(skiff::limit::sql_length, 100);
    const std::string sql = "select '" + std::string(100, 'x') + "'";

    const auto failed = failure_of([&] { cx.exec(sql); });

    EXPECT_EQ(failed.code(), skiff::errc::too_big);
    EXPECT_EQ(failed.advice(), "the value, row or SQL is longer than the connection's limit");
    EXPECT_EQ(cx.one<int>("select 1"), 1);
}

TEST(SqlText, view_without_terminator_is_read_to_its_end_only) {
    auto cx = memory();
    const std::string text = "select 1, 2";

    EXPECT_EQ(cx.one<int>(std::string_view(text).substr(0, 8)), 1);
}

TEST(SqlText, double_quotes_never_mean_a_string) {
    auto cx = memory();

    const auto failed = failure_of([&] { return cx.one<std::string>("select \"abc\""); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.sql_offset(), 7);
}

TEST(SqlText, first_keyword_skips_blanks_and_comments) {
    using skiff::detail::first_keyword;

    EXPECT_EQ(first_keyword("PRAGMA key = 'x'"), "pragma");
    EXPECT_EQ(first_keyword(" ; -- a\n /* b */ Attach 'x' as y"), "attach");
    EXPECT_EQ(first_keyword("\xEF\xBB\xBFpragma key = 'x'"), "pragma");
    EXPECT_EQ(first_keyword("(select 1)"), "");
    EXPECT_EQ(first_keyword(""), "");
}

TEST(SqlText, or_rollback_is_found_only_as_words) {
    using skiff::detail::has_or_rollback;

    EXPECT_TRUE(has_or_rollback("insert OR /* c */ RollBack into t values (1)"));
    EXPECT_TRUE(has_or_rollback("create table t(x unique on conflict rollback)"));
    EXPECT_FALSE(has_or_rollback("insert into t values ('or rollback')"));
    EXPECT_FALSE(has_or_rollback("insert into t values (1) -- or rollback"));
    EXPECT_FALSE(has_or_rollback("select \"or\", rollback from t"));
    EXPECT_FALSE(has_or_rollback("insert or replace into rollback values (1)"));
}

TEST(SqlText, quoted_name_survives_its_own_quotes) {
    using skiff::detail::quote_name;
    auto cx = memory();

    for (const std::string name : {"a\"b", "a'b", "a;drop table t", "ä b", "]", "select"}) {
        cx.exec("create table " + quote_name(name) + "(x)");
        EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema where name = ?", name), 1);
    }
}

}  // namespace
