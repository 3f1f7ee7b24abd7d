// Exceptions thrown inside callbacks that SQLite calls: they cross SQLite's C code as an error of
// the statement and reach its caller as they are.
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using skiff_test::failure_of;

struct custom_failure {
    int number;
};

skiff::connection with_rows() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    cx.exec("insert into t values (1), (2), (3)");
    return cx;
}

int throw_at_two(int x) {
    if (x == 2) throw std::out_of_range("two");
    return x;
}

struct throwing_step {
    void step(int x) {
        if (x == 2) throw custom_failure{x};
    }
    int finish() { return 0; }
};

struct throwing_finish {
    void step(int) {}
    int finish() { throw std::domain_error("finish"); }
};

/// Runs SQL on its own connection when SQLite finishes it, also while a statement fails.
struct looking_finish {
    skiff::connection* cx = nullptr;
    std::string sql;
    void step(int) {}
    int finish() { return cx->one<int>(sql); }
};

/// The same, but it takes the failure of that SQL itself.
struct careful_finish : looking_finish {
    std::vector<std::string>* seen = nullptr;
    careful_finish(looking_finish base, std::vector<std::string>* into)
        : looking_finish(std::move(base)), seen(into) {}
    void step(int) {}
    int finish() {
        try {
            return looking_finish::finish();
        } catch (const std::exception& failed) {
            seen->emplace_back(failed.what());
            return 0;
        }
    }
};

struct throwing_copy {
    throwing_copy() = default;
    throwing_copy(const throwing_copy& other) : copies(other.copies + 1) {
        if (copies > 0) throw std::length_error("copy");
    }
    throwing_copy(throwing_copy&&) = default;
    void step(int) {}
    int finish() { return copies; }
    int copies = 0;
};

TEST(ErrorCallback, function_exception_reaches_the_caller_as_it_is) {
    auto cx = with_rows();
    cx.define_function("f", throw_at_two);

    EXPECT_THROW(static_cast<void>(cx.all<int>("select f(x) from t")), std::out_of_range);

    EXPECT_EQ(cx.one<int>("select f(3)"), 3);
}

TEST(ErrorCallback, function_exception_in_a_write_undoes_the_statement) {
    auto cx = with_rows();
    cx.define_function("f", throw_at_two);
    auto tx = cx.begin();

    EXPECT_THROW(tx.exec("update t set x = f(x) + 10"), std::out_of_range);

    EXPECT_TRUE(tx.is_open());
    tx.commit();
    EXPECT_EQ(cx.one<int>("select sum(x) from t"), 6);
}

TEST(ErrorCallback, function_exception_in_a_loop_ends_the_loop) {
    auto cx = with_rows();
    cx.define_function("f", throw_at_two);
    int seen = 0;

    EXPECT_THROW(
        {
            for (const int x : cx.rows<int>("select f(x) from t order by rowid")) seen += x;
        },
        std::out_of_range);

    EXPECT_EQ(seen, 1);
    cx.close();
}

TEST(ErrorCallback, anything_may_be_thrown) {
    auto cx = with_rows();
    cx.define_function("f", [](int x) -> int { throw custom_failure{x}; });

    try {
        static_cast<void>(cx.one<int>("select f(42)"));
        FAIL() << "nothing was thrown";
    } catch (const custom_failure& thrown) {
        EXPECT_EQ(thrown.number, 42);
    }
}

TEST(ErrorCallback, skiff_error_inside_keeps_its_class) {
    auto cx = with_rows();
    cx.define_function("f", [](int) -> int {
        skiff::throw_error({.code = skiff::errc::constraint, .message = "mine"});
    });

    EXPECT_THROW(static_cast<void>(cx.one<int>("select f(1)")), skiff::constraint);
}

TEST(ErrorCallback, argument_that_does_not_fit_is_a_conversion_error) {
    auto cx = with_rows();
    cx.define_function("f", [](int x) { return x; });

    const auto failed = failure_of([&] { return cx.one<int>("select f('abc')"); });

    EXPECT_EQ(failed.code(), skiff::errc::conversion);
    EXPECT_EQ(failed.object(), "argument 1 of f()");
    EXPECT_EQ(failed.message(), "TEXT cannot be read as int");
}

TEST(ErrorCallback, aggregate_exceptions_reach_the_caller) {
    auto cx = with_rows();
    cx.define_aggregate<throwing_step>("a");
    cx.define_aggregate<throwing_finish>("b");
    cx.define_aggregate<throwing_copy>("c");

    EXPECT_THROW(static_cast<void>(cx.one<int>("select a(x) from t")), custom_failure);
    EXPECT_THROW(static_cast<void>(cx.one<int>("select b(x) from t")), std::domain_error);
    EXPECT_THROW(static_cast<void>(cx.all<int>("select c(x) from t group by x")),
                 std::length_error);

    EXPECT_EQ(cx.one<int>("select sum(x) from t"), 6);
}

TEST(ErrorCallback, old_exception_does_not_come_again) {
    auto cx = with_rows();
    cx.define_function("f", throw_at_two);
    EXPECT_THROW(static_cast<void>(cx.one<int>("select f(2)")), std::out_of_range);

    const auto failed = failure_of([&] { return cx.one<int>("select abs(-9223372036854775808)"); });

    EXPECT_EQ(failed.message(), "integer overflow");
}

TEST(ErrorCallback, function_may_use_its_own_connection) {
    auto cx = with_rows();
    cx.define_function("rows_below", [&cx](int x) {
        return cx.one<int>("select count(*) from t where x < ?", x);
    });

    EXPECT_EQ(cx.one<int>("select sum(rows_below(x)) from t"), 3);
}

TEST(ErrorCallback, error_of_an_inner_statement_reaches_the_outer_caller) {
    auto cx = with_rows();
    cx.define_function("look",
                       [&cx](int x) { return cx.one<int>("select x from t where x = ?", x); });

    EXPECT_THROW(static_cast<void>(cx.one<int>("select look(99)")), skiff::no_row);
    EXPECT_EQ(cx.one<int>("select look(2)"), 2);
}

TEST(ErrorCallback, exception_survives_a_finish_that_runs_sql) {
    auto cx = with_rows();
    cx.define_aggregate<throwing_step>("a");
    cx.define_aggregate("looking", looking_finish{.cx = &cx, .sql = "select count(*) from t"});

    EXPECT_THROW(static_cast<void>(cx.all<int>("select looking(x) + a(x) from t")), custom_failure);

    const auto failed = failure_of([&] { return cx.one<int>("select abs(-9223372036854775808)"); });
    EXPECT_EQ(failed.message(), "integer overflow");
}

TEST(ErrorCallback, exception_survives_a_finish_whose_sql_fails) {
    auto cx = with_rows();
    cx.define_aggregate<throwing_step>("a");
    cx.define_function("f", throw_at_two);
    cx.define_aggregate("looking", looking_finish{.cx = &cx, .sql = "select f(2)"});
    cx.define_aggregate("failing", looking_finish{.cx = &cx, .sql = "select abs(-1 << 63)"});
    std::vector<std::string> seen;
    cx.define_aggregate("careful", careful_finish({.cx = &cx, .sql = "select f(2)"}, &seen));

    EXPECT_THROW(static_cast<void>(cx.all<int>("select looking(x) + a(x) from t")), custom_failure);
    EXPECT_THROW(static_cast<void>(cx.all<int>("select failing(x) + a(x) from t")), custom_failure);
    EXPECT_THROW(static_cast<void>(cx.all<int>("select careful(x) + a(x) from t")), custom_failure);

    EXPECT_EQ(seen, std::vector<std::string>{"two"});
}

TEST(ErrorCallback, exception_while_a_commit_is_decided_is_not_lost) {
    auto cx = with_rows();
    cx.define_function("f", throw_at_two, {.direct_only = false});
    cx.exec("create temp trigger g after insert on t begin select f(new.x); end");
    auto tx = cx.begin();

    EXPECT_THROW(tx.exec("insert into t values (2)"), std::out_of_range);

    tx.exec("insert into t values (7)");
    tx.commit();
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 4);
}

TEST(ErrorCallback, function_with_a_running_statement_cannot_be_replaced) {
    auto cx = with_rows();
    cx.define_function("f", [](int x) { return x; });
    auto rows = cx.rows<int>("select f(x) from t");
    auto at = rows.begin();

    const auto failed = failure_of([&] { cx.define_function("f", [](int x) { return -x; }); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.operation(), "define_function");
    EXPECT_EQ(failed.object(), "f");
    EXPECT_EQ(*at, 1);
}

#if GTEST_HAS_DEATH_TEST
TEST(ErrorCallbackDeathTest, collation_that_throws_ends_the_program) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto cx = with_rows();
    cx.define_collation("c", [](std::string_view, std::string_view) -> int {
        throw std::logic_error("a collation must not throw");
    });

    EXPECT_DEATH(static_cast<void>(cx.one<int>("select 'a' < 'b' collate c")), "terminate");
}
#endif

}  // namespace
