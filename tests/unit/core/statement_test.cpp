// Statements that the program holds itself: their life beside, inside and after their connection.
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;

skiff::connection numbers() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(id integer primary key, name text)");
    cx.exec("insert into t values (1, 'a'), (2, 'b'), (3, 'c')");
    return cx;
}

TEST(Statement, held_statement_runs_many_times) {
    auto cx = numbers();
    auto find = cx.prepare("select name from t where id = ?");

    EXPECT_EQ(find.one<std::string>(1), "a");
    EXPECT_EQ(find.one<std::string>(3), "c");
    EXPECT_EQ(find.maybe<std::string>(9), std::nullopt);
    EXPECT_EQ(find.all<std::string>(2), std::vector<std::string>{"b"});
}

TEST(Statement, description_tells_sql_columns_and_parameters) {
    auto cx = numbers();

    const auto found = cx.prepare("select id, name as n from t where id > :low and id < ?3");

    EXPECT_EQ(found.sql(), "select id, name as n from t where id > :low and id < ?3");
    EXPECT_EQ(found.column_count(), 2);
    EXPECT_EQ(found.column_name(1), "n");
    EXPECT_EQ(found.parameter_count(), 3);
    EXPECT_EQ(found.parameter_name(1), ":low");
    EXPECT_EQ(found.parameter_name(2), "");
    EXPECT_EQ(found.parameter_name(3), "?3");
    EXPECT_TRUE(found.read_only());
    EXPECT_FALSE(cx.prepare("delete from t").read_only());
}

TEST(Statement, exec_reports_changes_and_rowid) {
    auto cx = numbers();
    auto insert = cx.prepare("insert into t(name) values (?)");

    const auto first = insert.exec("x");
    const auto second = insert.exec("y");

    EXPECT_EQ(first.changes, 1);
    EXPECT_EQ(first.last_insert_rowid, 4);
    EXPECT_EQ(second.last_insert_rowid, 5);
}

TEST(Statement, wrong_number_of_arguments_is_refused_before_it_runs) {
    auto cx = numbers();
    auto insert = cx.prepare("insert into t values (?, ?)");

    const auto few = failure_of([&] { insert.exec(7); });
    const auto many = failure_of([&] { insert.exec(7, "x", 1); });

    EXPECT_EQ(few.code(), skiff::errc::arguments);
    EXPECT_EQ(few.message(), "the SQL takes 2 arguments, 1 were given");
    EXPECT_EQ(few.operation(), "bind");
    EXPECT_EQ(few.sql(), "insert into t values (?, ?)");
    EXPECT_EQ(many.message(), "the SQL takes 2 arguments, 3 were given");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 3);
}

TEST(Statement, second_run_at_once_is_refused) {
    auto cx = numbers();
    auto all = cx.prepare("select id from t");
    auto rows = all.rows<int>();
    auto at = rows.begin();

    const auto failed = failure_of([&] { return all.one<int>(); });

    EXPECT_EQ(failed.code(), skiff::errc::misuse);
    EXPECT_EQ(failed.message(), "the statement is still running");
    EXPECT_EQ(failed.sql(), "select id from t");
    EXPECT_EQ(failed.advice(), "end the loop over its rows first, or prepare it twice");
    EXPECT_EQ(*at, 1);
    rows.close();
    EXPECT_EQ(all.all<int>().size(), 3U);
}

TEST(Statement, moved_from_statement_is_closed) {
    auto cx = numbers();
    auto first = cx.prepare("select count(*) from t");

    auto second = std::move(first);

    EXPECT_EQ(second.one<int>(), 3);
    // NOLINTNEXTLINE(bugprone-use-after-move): what a moved-from statement does is the question
    const auto failed = failure_of([&] { return first.one<int>(); });
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.message(), "the statement is closed");
    EXPECT_EQ(first.native_handle(), nullptr);
}

TEST(Statement, move_assignment_gives_the_old_one_back) {
    auto cx = numbers();
    auto held = cx.prepare("select 1");
    auto other = cx.prepare("select 2");

    held = std::move(other);

    EXPECT_EQ(held.one<int>(), 2);
    cx.close();
}

TEST(Statement, finalized_statement_is_closed_any_number_of_times) {
    auto cx = numbers();
    auto held = cx.prepare("select 1");

    held.finalize();
    held.finalize();

    EXPECT_EQ(code_of([&] { return held.one<int>(); }), skiff::errc::closed);
    EXPECT_EQ(code_of([&] { return held.sql(); }), skiff::errc::closed);
    EXPECT_EQ(code_of([&] { return held.column_count(); }), skiff::errc::closed);
}

TEST(Statement, finalized_while_its_rows_are_read_ends_with_them) {
    auto cx = numbers();
    auto held = cx.prepare("select id from t");
    auto rows = held.rows<int>();
    auto at = rows.begin();

    held.finalize();

    EXPECT_EQ(*at, 1);
    ++at;
    EXPECT_EQ(*at, 2);
    rows.close();
    cx.close();
}

TEST(Statement, use_after_close_of_the_connection_is_an_error) {
    auto cx = numbers();
    auto held = cx.prepare("select 1");

    cx.close();

    const auto failed = failure_of([&] { return held.one<int>(); });
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.advice(), "it was closed, moved from, or its connection was closed before it");
}

TEST(Statement, use_after_destruction_of_the_connection_is_an_error) {
    std::optional<skiff::connection> cx = numbers();
    auto held = cx->prepare("select count(*) from t");

    cx.reset();

    EXPECT_EQ(code_of([&] { return held.one<int>(); }), skiff::errc::closed);
    EXPECT_EQ(code_of([&] { return held.query(); }), skiff::errc::closed);
}

TEST(Statement, connection_may_move_under_it) {
    auto first = numbers();
    auto held = first.prepare("select count(*) from t");

    auto second = std::move(first);

    EXPECT_EQ(held.one<int>(), 3);
    second.close();
    EXPECT_EQ(code_of([&] { return held.one<int>(); }), skiff::errc::closed);
}

TEST(Statement, connection_replaced_by_assignment_closes_it) {
    auto cx = numbers();
    auto held = cx.prepare("select count(*) from t");

    cx = skiff::connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return held.one<int>(); }), skiff::errc::closed);
    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema"), 0);
}

TEST(Statement, ten_thousand_held_statements_work_and_go) {
    auto cx = numbers();
    constexpr int count = 10'000;
    std::vector<skiff::statement> held;
    for (int i = 0; i < count; ++i) held.push_back(cx.prepare("select ? + " + std::to_string(i)));

    std::int64_t sum = 0;
    for (auto& each : held) sum += each.one<std::int64_t>(1);

    EXPECT_EQ(sum, std::int64_t{count} * (count - 1) / 2 + count);
    held.erase(held.begin(), held.begin() + count / 2);
    cx.close();
    EXPECT_EQ(code_of([&] { return held.front().one<int>(1); }), skiff::errc::closed);
}

TEST(Statement, old_value_never_stays_bound_for_a_name_given_twice) {
    // Two names for two parameters: the count is right, the names are not.
    auto cx = numbers();
    using skiff::named;
    EXPECT_EQ(cx.one<int>("select :a * 10 + :b", named("a", 1), named("b", 2)), 12);

    const auto failed = failure_of(
        [&] { return cx.one<int>("select :a * 10 + :b", named("a", 5), named(":a", 6)); });

    EXPECT_EQ(failed.code(), skiff::errc::arguments);
    EXPECT_EQ(failed.object(), ":a");
}

TEST(Statement, old_value_never_stays_bound_for_a_list_that_misses_one) {
    auto cx = numbers();
    EXPECT_EQ(cx.one<int>("select ?1 * 10 + :b", skiff::argument_list{{1, 2}, {}}), 12);

    const auto failed = failure_of(
        [&] { return cx.one<int>("select ?1 * 10 + :b", skiff::argument_list{{5}, {{"?1", 6}}}); });

    EXPECT_EQ(failed.code(), skiff::errc::arguments);
}

TEST(Statement, unknown_name_lists_the_names_there_are) {
    auto cx = numbers();

    const auto failed = failure_of(
        [&] { return cx.one<int>("select :a + $b", skiff::named("a", 1), skiff::named("c", 2)); });

    EXPECT_EQ(failed.code(), skiff::errc::arguments);
    EXPECT_EQ(failed.object(), "c");
    EXPECT_EQ(failed.advice(), "its parameters are :a, $b");
}

TEST(Statement, rowid_of_the_statement_before_is_seen_by_sql) {
    auto cx = numbers();
    cx.exec("create table child(parent, n)");

    cx.exec("insert into t(id) values (77)");
    cx.exec("insert into child values (last_insert_rowid(), 1)");
    cx.exec("insert into t(id) values (88)");
    cx.exec("update t set name = 'z' where id = 1");
    const auto after_update = cx.one<int>("select last_insert_rowid()");

    EXPECT_EQ(cx.one<int>("select parent from child"), 77);
    EXPECT_EQ(after_update, 88);
}

TEST(Statement, rowid_of_the_statement_before_is_seen_by_triggers) {
    auto cx = numbers();
    cx.exec("create table log(seen)");
    cx.exec(
        "create trigger early before insert on t begin "
        "insert into log values (last_insert_rowid()); end");
    cx.exec(
        "create trigger late after insert on t begin "
        "insert into log values (last_insert_rowid()); end");
    cx.exec("delete from log");
    cx.exec("insert into t(id) values (77)");
    cx.exec("delete from log");

    const auto stored = cx.exec("insert into t(id) values (88)");

    EXPECT_EQ(stored.last_insert_rowid, 88);
    EXPECT_EQ(cx.all<int>("select seen from log"), (std::vector{77, 88}));
}

TEST(Statement, rowid_is_zero_where_nothing_was_inserted) {
    auto cx = numbers();
    cx.exec("create table w(k primary key) without rowid");
    cx.exec("insert into t(id) values (77)");

    EXPECT_EQ(cx.exec("update t set name = 'z'").last_insert_rowid, 0);
    EXPECT_EQ(cx.exec("insert or ignore into t(id) values (77)").last_insert_rowid, 0);
    EXPECT_EQ(cx.exec("insert into w values (1)").last_insert_rowid, 0);
    EXPECT_EQ(cx.exec("insert into t(id) values (77) on conflict do update set name = 'u'")
                  .last_insert_rowid,
              0);
    EXPECT_EQ(cx.exec("create table u(x)").changes, 0);
    EXPECT_EQ(cx.one<int>("select last_insert_rowid()"), 77);
}

}  // namespace
