// SQLite's run-time limits: what is over one is a typed error, and the connection goes on.
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using skiff::limit;
using skiff_test::code_of;
using skiff_test::failure_of;

skiff::connection memory() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    return cx;
}

TEST(Limit, old_value_is_returned_and_negative_only_asks) {
    auto cx = memory();

    EXPECT_EQ(cx.set_limit(limit::length, -1), 1'000'000'000);
    EXPECT_EQ(cx.set_limit(limit::length, 1000), 1'000'000'000);
    EXPECT_EQ(cx.set_limit(limit::length, -1), 1000);
}

TEST(Limit, value_over_the_length_is_refused_at_bind) {
    auto cx = memory();
    cx.set_limit(limit::length, 1000);

    const auto text =
        failure_of([&] { cx.exec("insert into t values (?)", std::string(1001, 'x')); });
    const auto bytes = failure_of([&] { cx.exec("insert into t values (?)", skiff::blob(1001)); });

    EXPECT_EQ(text.code(), skiff::errc::too_big);
    EXPECT_EQ(text.operation(), "bind");
    EXPECT_EQ(text.object(), "parameter 1");
    EXPECT_EQ(text.sql(), "insert into t values (?)");
    EXPECT_EQ(text.advice(),
              "the value is longer than the connection's limit (connection::set_limit)");
    EXPECT_EQ(bytes.code(), skiff::errc::too_big);
    cx.exec("insert into t values (?)", std::string(900, 'x'));
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
}

TEST(Limit, zero_blob_over_the_length_is_refused_without_memory) {
    auto cx = memory();

    for (const std::uint64_t size : {1'000'000'001ULL, 1ULL << 31, 1ULL << 40, ~0ULL}) {
        EXPECT_EQ(code_of([&] { cx.exec("insert into t values (?)", skiff::zero_blob{size}); }),
                  skiff::errc::too_big);
    }
    cx.set_limit(limit::length, 1000);
    EXPECT_EQ(code_of([&] { cx.exec("insert into t values (?)", skiff::zero_blob{1001}); }),
              skiff::errc::too_big);

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

TEST(Limit, result_over_the_length_is_refused_at_step) {
    auto cx = memory();
    cx.set_limit(limit::length, 1000);

    const auto failed =
        failure_of([&] { return cx.one<std::string>("select hex(zeroblob(900))"); });

    EXPECT_EQ(failed.code(), skiff::errc::too_big);
    EXPECT_EQ(failed.message(), "string or blob too big");
    EXPECT_EQ(failed.operation(), "step");
    EXPECT_EQ(failed.advice(), "the value, row or SQL is longer than the connection's limit");
    EXPECT_EQ(cx.one<int>("select 1"), 1);
}

TEST(Limit, row_over_the_length_is_undone) {
    auto cx = memory();
    cx.exec("create table wide(a, b)");
    cx.set_limit(limit::length, 1000);

    EXPECT_EQ(code_of([&] {
                  cx.exec("insert into wide values (?, ?)", std::string(700, 'x'),
                          std::string(700, 'x'));
              }),
              skiff::errc::too_big);

    EXPECT_EQ(cx.one<int>("select count(*) from wide"), 0);
}

TEST(Limit, too_many_parameters_are_an_error_with_an_offset) {
    auto cx = memory();
    cx.set_limit(limit::variable_number, 3);

    const auto failed = failure_of([&] { return cx.prepare("select ?, ?, ?, ?"); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "too many SQL variables");
    EXPECT_EQ(failed.operation(), "prepare");
}

TEST(Limit, too_many_columns_terms_and_databases_are_errors) {
    auto cx = memory();
    cx.set_limit(limit::column, 5);
    cx.set_limit(limit::compound_select, 2);
    cx.set_limit(limit::attached, 1);
    cx.exec("attach ':memory:' as a");

    const auto columns = failure_of([&] { cx.exec("select 1, 2, 3, 4, 5, 6"); });
    const auto terms =
        failure_of([&] { cx.exec("select x from t union select x from t union select x from t"); });
    const auto attached = failure_of([&] { cx.exec("attach ':memory:' as b"); });

    EXPECT_EQ(columns.message(), "too many columns in result set");
    EXPECT_EQ(terms.message(), "too many terms in compound SELECT");
    EXPECT_EQ(attached.message(), "too many attached databases - max 1");
    EXPECT_EQ(cx.one<int>("select 1"), 1);
}

TEST(Limit, triggers_that_call_themselves_end_at_the_depth) {
    auto cx = memory();
    cx.exec("pragma recursive_triggers = on");
    cx.exec("create trigger g after insert on t begin insert into t values (new.x + 1); end");
    cx.set_limit(limit::trigger_depth, 20);

    const auto failed = failure_of([&] { cx.exec("insert into t values (1)"); });

    EXPECT_EQ(failed.message(), "triggers nested too deep");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

TEST(Limit, many_arguments_in_a_list_are_counted) {
    auto cx = memory();
    skiff::argument_list arguments;
    std::string sql = "select ?";
    for (int i = 1; i < 2000; ++i) sql += ", ?";
    for (int i = 0; i < 2000; ++i) arguments.positional.emplace_back(std::int64_t{i});

    int last = 0;
    for (const auto& row : cx.query(sql, arguments)) last = row.get<int>(1999);
    arguments.positional.pop_back();

    EXPECT_EQ(last, 1999);
    EXPECT_EQ(code_of([&] { return cx.query(sql, arguments); }), skiff::errc::arguments);
}

}  // namespace
