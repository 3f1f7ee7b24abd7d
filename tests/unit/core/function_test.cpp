// SQL functions from C++ callables: what they take, what they give back, how they are written.
// What happens when they throw has function_error_test.cpp; where SQLite lets them be used has
// function_schema_test.cpp.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using namespace std::string_literals;

std::int64_t twice(std::int64_t number) {
    return 2 * number;
}
int thrice(int number) noexcept {
    return 3 * number;
}

// -- KB-V9: wrappers as results

TEST(Functions, kb_v9_optional_results_are_a_value_or_null) {
    auto db = connection::open(":memory:");
    db.define_function("seven", [] { return std::optional<int>(7); });
    db.define_function("x", [] { return std::optional<std::string>("x"); });
    db.define_function("no_int", [] { return std::optional<int>(); });
    db.define_function("no_optional", [] { return std::nullopt; });

    EXPECT_EQ(db.one<int>("select seven()"), 7);
    EXPECT_EQ(db.one<std::string>("select x()"), "x");
    EXPECT_TRUE(db.one<bool>("select no_int() is null"));
    EXPECT_TRUE(db.one<bool>("select no_optional() is null"));
}

TEST(Functions, kb_v9_variant_result_is_what_it_holds) {
    using any = std::variant<std::monostate, int, double, std::string>;
    auto db = connection::open(":memory:");
    db.define_function("pick", [](int which) -> any {
        if (which == 1) return 7;
        if (which == 2) return 1.5;
        if (which == 3) return "x"s;
        return std::monostate{};
    });

    EXPECT_EQ(db.one<int>("select pick(1)"), 7);
    EXPECT_EQ(db.one<double>("select pick(2)"), 1.5);
    EXPECT_EQ(db.one<std::string>("select pick(3)"), "x");
    EXPECT_TRUE(db.one<bool>("select pick(0) is null"));
}

TEST(Functions, kb_v9_value_passes_every_class_through) {
    auto db = connection::open(":memory:");
    db.define_function("same", [](const skiff::value& given) { return given; });

    EXPECT_EQ(db.one<std::string>("select group_concat(typeof(same(column1)), ' ') from "
                                  "(values (null), (1), (1.5), ('a'), (x'00'))"),
              "null integer real text blob");
}

// -- arguments

TEST(Functions, arguments_are_read_by_their_types) {
    auto db = connection::open(":memory:");
    db.define_function("mix", [](int a, double b, std::string_view c, const std::string& d,
                                 skiff::blob_view e, std::optional<int> f, bool g) {
        return std::to_string(a) + std::to_string(b).substr(0, 3) + std::string(c) + d +
               std::to_string(e.size()) + (f ? "some" : "none") + (g ? "true" : "false");
    });

    EXPECT_EQ(db.one<std::string>("select mix(1, 2.5, 'c', 'd', x'0000', null, 1)"),
              "12.5cd2nonetrue");
}

TEST(Functions, argument_of_another_type_is_refused_by_place) {
    auto db = connection::open(":memory:");
    db.define_function("plus", [](int a, int b) { return a + b; });

    const auto failure = failure_of([&] { return db.one<int>("select plus(1, 'two')"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "argument 2 of plus()");
    EXPECT_THAT(std::string(failure.message()), testing::HasSubstr("TEXT"));
}

TEST(Functions, wrong_number_of_arguments_is_refused_by_sqlite) {
    auto db = connection::open(":memory:");
    db.define_function("plus", [](int a, int b) { return a + b; });

    EXPECT_EQ(code_of([&] { return db.one<int>("select plus(1)"); }), errc::generic);
    EXPECT_EQ(code_of([&] { return db.one<int>("select plus(1, 2, 3)"); }), errc::generic);
}

TEST(Functions, one_name_may_have_several_numbers_of_arguments) {
    auto db = connection::open(":memory:");
    db.define_function("sum_of", [](int a) { return a; });
    db.define_function("sum_of", [](int a, int b) { return a + b; });

    EXPECT_EQ(db.one<int>("select sum_of(1) * 100 + sum_of(1, 2)"), 103);
}

TEST(Functions, variadic_function_takes_any_number_of_arguments) {
    auto db = connection::open(":memory:");
    db.define_function("describe", [](skiff::function_arguments given) {
        std::string text = std::to_string(given.size());
        for (int i = 0; i < given.size(); ++i) text += " "s + skiff::name_of(given[i].type());
        return text;
    });

    EXPECT_EQ(db.one<std::string>("select describe()"), "0");
    EXPECT_EQ(db.one<std::string>("select describe(1, 'a', null, 1.5, x'00')"),
              "5 INTEGER TEXT NULL REAL BLOB");
}

TEST(Functions, argument_of_a_variadic_function_is_named_when_it_is_refused) {
    auto db = connection::open(":memory:");
    db.define_function("sum_all", [](const skiff::function_arguments& given) {
        std::int64_t sum = 0;
        for (int i = 0; i < given.size(); ++i) sum += given[i].read<std::int64_t>();
        return sum;
    });

    const auto failure = failure_of([&] { return db.one<int>("select sum_all(1, 2, 'x')"); });

    EXPECT_EQ(db.one<int>("select sum_all(1, 2, 39)"), 42);
    EXPECT_EQ(failure.object(), "argument 3 of sum_all()");
}

// -- callables

TEST(Functions, every_kind_of_callable_is_taken) {
    struct callable {
        int operator()(int number) const noexcept { return number + 1; }
    };
    auto db = connection::open(":memory:");
    db.define_function("f1", twice);
    db.define_function("f2", &thrice);
    db.define_function("f3", callable{});
    db.define_function("f4", std::function<int(int)>([](int number) { return -number; }));
    db.define_function("f5", [calls = 0](int number) mutable { return number + ++calls; });

    EXPECT_EQ(db.one<int>("select f1(10)"), 20);
    EXPECT_EQ(db.one<int>("select f2(10)"), 30);
    EXPECT_EQ(db.one<int>("select f3(10)"), 11);
    EXPECT_EQ(db.one<int>("select f4(10)"), -10);
    EXPECT_EQ(db.one<int>("select f5(10) * 100 + f5(10)"), 1112);
}

TEST(Functions, callable_that_can_only_be_moved_is_taken) {
    auto db = connection::open(":memory:");
    auto number = std::make_unique<int>(42);

    db.define_function("held", [number = std::move(number)] { return *number; });

    EXPECT_EQ(db.one<int>("select held()"), 42);
}

TEST(Functions, callable_is_destroyed_with_its_connection) {
    auto watched = std::make_shared<int>(0);
    const std::weak_ptr<int> watcher = watched;
    auto db = connection::open(":memory:");
    db.define_function("held", [watched = std::move(watched)] { return *watched; });
    ASSERT_FALSE(watcher.expired());

    db.close();

    EXPECT_TRUE(watcher.expired());
}

TEST(Functions, later_definition_replaces_the_earlier_one) {
    auto watched = std::make_shared<int>(1);
    const std::weak_ptr<int> watcher = watched;
    auto db = connection::open(":memory:");
    db.define_function("number", [watched = std::move(watched)] { return *watched; });
    EXPECT_EQ(db.one<int>("select number()"), 1);

    db.define_function("number", [] { return 2; });

    EXPECT_EQ(db.one<int>("select number()"), 2);
    EXPECT_TRUE(watcher.expired());
}

TEST(Functions, function_without_a_result_gives_null) {
    auto db = connection::open(":memory:");
    int calls = 0;
    db.define_function("note", [&](int number) { calls += number; });

    EXPECT_TRUE(db.one<bool>("select note(5) is null"));
    EXPECT_EQ(calls, 5);
}

TEST(Functions, function_may_use_its_own_connection) {
    auto db = connection::open(":memory:");
    db.exec_script("create table t(x); insert into t values (40), (2)");
    db.define_function("total", [&] { return db.one<int>("select sum(x) from t"); });

    EXPECT_EQ(db.all<int>("select total() + x from t order by x"), (std::vector{44, 82}));
}

TEST(Functions, moved_connection_keeps_its_functions) {
    auto first = connection::open(":memory:");
    first.define_function("seven", [] { return 7; });
    first.define_function("fail", []() -> int { throw std::out_of_range("no"); });

    auto second = std::move(first);
    connection third = connection::open(":memory:");
    third = std::move(second);

    EXPECT_EQ(third.one<int>("select seven()"), 7);
    EXPECT_THROW((void)third.one<int>("select fail()"), std::out_of_range);
}

TEST(Functions, built_in_function_may_be_replaced) {
    auto db = connection::open(":memory:");

    db.define_function("upper", [](std::string_view text) { return "UP:" + std::string(text); });

    EXPECT_EQ(db.one<std::string>("select upper('a')"), "UP:a");
}

TEST(Functions, name_that_sqlite_refuses_is_an_error) {
    auto db = connection::open(":memory:");
    const std::string too_long(300, 'f');

    const auto failure = failure_of([&] { db.define_function(too_long, [] { return 1; }); });

    EXPECT_EQ(failure.operation(), "define_function");
    EXPECT_EQ(failure.object(), too_long);
}

TEST(Functions, function_in_use_cannot_be_replaced) {
    auto db = connection::open(":memory:");
    db.define_function("number", [] { return 1; });

    for ([[maybe_unused]] const int each : db.rows<int>("select number() union all select 2")) {
        EXPECT_EQ(code_of([&] { db.define_function("number", [] { return 2; }); }), errc::busy);
    }

    EXPECT_EQ(db.one<int>("select number()"), 1);
}

}  // namespace
