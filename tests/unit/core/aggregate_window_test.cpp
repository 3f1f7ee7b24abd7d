// Window functions from C++ classes, compared with SQLite's own sum() over the same windows.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using skiff::connection;

/// sum() as SQLite has it: NULLs do not count, and a sum of nothing is NULL.
struct window_sum {
    std::int64_t sum = 0;
    std::int64_t count = 0;
    std::shared_ptr<int> living = std::make_shared<int>();

    void step(std::optional<std::int64_t> number) {
        sum += number.value_or(0);
        count += number ? 1 : 0;
    }
    void inverse(std::optional<std::int64_t> number) {
        sum -= number.value_or(0);
        count -= number ? 1 : 0;
    }
    [[nodiscard]] std::optional<std::int64_t> value() const {
        return count > 0 ? std::optional(sum) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::int64_t> finish() const { return value(); }
};

struct failing_window : window_sum {
    enum class place { step, inverse, value };
    place fails_at = place::step;

    void step(std::optional<std::int64_t> number) {
        if (fails_at == place::step && number == 3) throw std::out_of_range("step");
        window_sum::step(number);
    }
    void inverse(std::optional<std::int64_t> number) {
        if (fails_at == place::inverse) throw std::out_of_range("inverse");
        window_sum::inverse(number);
    }
    [[nodiscard]] std::optional<std::int64_t> value() const {
        if (fails_at == place::value && count == 2) throw std::out_of_range("value");
        return window_sum::value();
    }
};

connection with_numbers() {
    auto db = connection::open(":memory:");
    db.exec_script(
        "create table t(k, x);"
        "insert into t values ('a', 1), ('a', 2), ('a', null), ('a', 4), ('a', 5),"
        "('b', 3), ('b', -3), ('c', null)");
    return db;
}

class WindowFrames : public testing::TestWithParam<const char*> {};

TEST_P(WindowFrames, own_sum_agrees_with_the_built_in_one) {
    using sums = std::tuple<std::optional<std::int64_t>, std::optional<std::int64_t>>;
    auto db = with_numbers();
    const window_sum prototype;
    db.define_window("own_sum", prototype);
    const std::string over = std::string(" over (") + GetParam() + ")";

    const auto rows = db.all<sums>("select own_sum(x)" + over + ", sum(x)" + over + " from t");

    EXPECT_EQ(rows.size(), 8U);
    for (const auto& [own, built_in] : rows) EXPECT_EQ(own, built_in);
    EXPECT_EQ(prototype.living.use_count(), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Aggregates,
    WindowFrames,
    testing::Values(
        "",
        "order by rowid",
        "partition by k",
        "partition by k order by rowid",
        "order by rowid rows between 1 preceding and 1 following",
        "order by rowid rows between 2 preceding and 1 preceding",
        "order by rowid rows between 1 following and 2 following",
        "order by rowid rows between current row and unbounded following",
        "partition by k order by rowid rows 2 preceding",
        "order by k groups between 1 preceding and current row",
        "order by x range between 1 preceding and 1 following",
        "order by rowid rows between unbounded preceding and unbounded following exclude ties",
        "order by rowid rows between 1 preceding and 1 following exclude current row"));

TEST(Windows, window_function_is_an_aggregate_as_well) {
    auto db = with_numbers();
    db.define_window<window_sum>("own_sum");

    EXPECT_EQ(db.one<std::int64_t>("select own_sum(x) from t"), 12);
    EXPECT_EQ(db.one<std::optional<std::int64_t>>("select own_sum(x) from t where 0"),
              std::nullopt);
}

TEST(Windows, filter_is_honoured) {
    auto db = with_numbers();
    db.define_window<window_sum>("own_sum");

    EXPECT_EQ(db.all<std::int64_t>("select own_sum(x) filter (where x > 1) over () from t limit 1"),
              std::vector<std::int64_t>{14});
}

class FailingWindows : public testing::TestWithParam<failing_window::place> {};

TEST_P(FailingWindows, exception_reaches_the_caller_and_leaks_nothing) {
    auto db = with_numbers();
    failing_window prototype;
    prototype.fails_at = GetParam();
    db.define_window("failing", prototype);

    EXPECT_THROW(db.exec("select failing(x) over (order by rowid rows 1 preceding) from t"),
                 std::out_of_range);

    EXPECT_EQ(prototype.living.use_count(), 2);
    EXPECT_EQ(db.one<int>("select 6 * 7"), 42);
}

INSTANTIATE_TEST_SUITE_P(Aggregates,
                         FailingWindows,
                         testing::Values(failing_window::place::step,
                                         failing_window::place::inverse,
                                         failing_window::place::value));

TEST(Windows, query_that_is_left_early_leaks_nothing) {
    auto db = with_numbers();
    const window_sum prototype;
    db.define_window("own_sum", prototype);

    for ([[maybe_unused]] const auto& row :
         db.query("select own_sum(x) over (order by rowid rows 1 preceding) from t")) {
        break;
    }

    EXPECT_EQ(prototype.living.use_count(), 2);
}

TEST(Windows, plain_aggregate_is_refused_with_a_moving_frame) {
    struct sum_only {
        std::int64_t sum = 0;
        void step(std::int64_t number) { sum += number; }
        std::int64_t finish() const { return sum; }
    };
    auto db = with_numbers();
    db.define_aggregate<sum_only>("sum_only");

    EXPECT_THROW(db.exec("select sum_only(x) over (order by rowid) from t"), skiff::error);
}

}  // namespace
