// Floating point in and out of SQLite: exact, with infinities, without NaN, and never by rounding
// an integer.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Reals, double_edges_round_trip) {
    using limits = std::numeric_limits<double>;
    auto db = connection::open(":memory:");

    for (const double each : {0.0, 0.1, -1.5, limits::max(), limits::lowest(), limits::min(),
                              limits::denorm_min(), limits::epsilon(), infinity, -infinity}) {
        EXPECT_EQ(db.one<double>("select ?", each), each);
    }
}

TEST(Reals, float_edges_round_trip) {
    using limits = std::numeric_limits<float>;
    auto db = connection::open(":memory:");

    for (const float each : {0.0F, 0.1F, -1.5F, limits::max(), limits::lowest(), limits::min(),
                             limits::denorm_min(), limits::infinity(), -limits::infinity()}) {
        EXPECT_EQ(db.one<float>("select ?", each), each);
    }
}

TEST(Reals, infinity_round_trips_through_a_table) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x real)");
    db.exec("insert into t values (?), (?)", infinity, -infinity);

    const auto back = db.all<double>("select x from t order by rowid");

    EXPECT_EQ(back, (std::vector{infinity, -infinity}));
}

TEST(Reals, nan_is_refused_on_bind) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<double>("select ?", nan); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<double>("select ?", -nan); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<float>("select ?", std::nanf("")); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", std::optional<double>(nan)); }),
              errc::conversion);
}

TEST(Reals, nan_is_refused_as_a_function_result) {
    auto db = connection::open(":memory:");
    db.define_function("not_a_number", [] { return nan; });

    EXPECT_EQ(code_of([&] { return db.one<double>("select not_a_number()"); }), errc::conversion);
}

TEST(Reals, integer_that_a_double_holds_exactly_is_read) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<double>("select 3"), 3.0);
    EXPECT_EQ(db.one<double>("select 9007199254740992"), 9007199254740992.0);
    EXPECT_EQ(db.one<double>("select 9007199254740994"), 9007199254740994.0);
    EXPECT_EQ(db.one<double>("select -9223372036854775808"), -9223372036854775808.0);
}

TEST(Reals, integer_that_a_double_would_round_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<double>("select 9007199254740993"), skiff::conversion);
    EXPECT_THROW((void)db.one<double>("select 9223372036854775807"), skiff::conversion);
}

TEST(Reals, integer_that_a_float_holds_exactly_is_read) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<float>("select 16777216"), 16777216.0F);
    EXPECT_EQ(db.one<float>("select -9223372036854775808"), -9223372036854775808.0F);
}

TEST(Reals, integer_that_a_float_would_round_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<float>("select 16777217"), skiff::conversion);
    EXPECT_THROW((void)db.one<float>("select 9007199254740991"), skiff::conversion);
}

TEST(Reals, real_beyond_a_float_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<float>("select 1e39"), skiff::conversion);
    EXPECT_THROW((void)db.one<float>("select -1e39"), skiff::conversion);
}

TEST(Reals, text_blob_and_null_are_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<double>("select '1.5'"), skiff::conversion);
    EXPECT_THROW((void)db.one<double>("select x'00'"), skiff::conversion);
    EXPECT_THROW((void)db.one<double>("select null"), skiff::conversion);
}

TEST(Reals, real_is_refused_as_an_integer) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<int>("select 1.0"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::int64_t>("select 1e30"), skiff::conversion);
}

TEST(Reals, negative_zero_reads_as_zero) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<double>("select ?", -0.0), 0.0);
}

}  // namespace
