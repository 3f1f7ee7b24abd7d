// The benchmark's statistics against values worked out by hand.
#include "stats/summary.hpp"

#include "stats/histogram.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace skiff_bench {
namespace {

std::vector<double> count_to(int last) {
    std::vector<double> values(static_cast<std::size_t>(last));
    std::iota(values.rbegin(), values.rend(), 1.0);
    return values;
}

TEST(Summary, median_of_an_odd_and_an_even_number) {
    EXPECT_EQ(summarize({3, 1, 2}).median, 2);
    EXPECT_EQ(summarize({4, 1, 3, 2}).median, 2.5);
    EXPECT_EQ(summarize({7}).median, 7);
}

// The k-th smallest and largest of n hold the median with 1 - 2 P(B(n, 1/2) < k).
TEST(Summary, interval_is_by_order_statistics) {
    const auto six = summarize(count_to(6));
    EXPECT_EQ(six.low, 1);
    EXPECT_EQ(six.high, 6);
    const auto ten = summarize(count_to(10));
    EXPECT_EQ(ten.low, 2);
    EXPECT_EQ(ten.high, 9);
    const auto thirty = summarize(count_to(30));
    EXPECT_EQ(thirty.low, 10);
    EXPECT_EQ(thirty.high, 21);
}

TEST(Summary, few_samples_have_their_whole_range) {
    const auto three = summarize({5, 9, 7});
    EXPECT_EQ(three.low, 5);
    EXPECT_EQ(three.high, 9);
}

TEST(Summary, apart_only_without_a_common_value) {
    EXPECT_TRUE(are_apart({1.5, 1, 2, 6}, {4, 3, 5, 6}));
    EXPECT_FALSE(are_apart({1.5, 1, 3, 6}, {4, 3, 5, 6}));
}

TEST(Histogram, quantiles_are_right_within_a_bucket) {
    histogram times;
    for (std::uint64_t value = 1; value <= 100'000; ++value) times.add(value);

    constexpr double relative_error = 0.016;
    for (const double fraction : {0.01, 0.5, 0.95, 0.999}) {
        const double expected = fraction * 100'000;
        EXPECT_NEAR(static_cast<double>(times.quantile(fraction)), expected,
                    expected * relative_error + 1);
    }
    EXPECT_EQ(times.max(), 100'000U);
    EXPECT_EQ(times.total(), 100'000U);
}

TEST(Histogram, sum_of_two_is_both) {
    histogram one;
    histogram other;
    one.add(10);
    other.add(1'000'000'000);
    one.add(other);

    EXPECT_EQ(one.total(), 2U);
    EXPECT_EQ(one.quantile(0.25), 10U);
    EXPECT_EQ(one.quantile(1), 1'000'000'000U);
}

TEST(Histogram, largest_value_has_a_bucket) {
    histogram times;
    times.add(UINT64_MAX);

    EXPECT_EQ(times.quantile(0.5), UINT64_MAX);
}

TEST(Histogram, of_nothing_is_nothing) {
    EXPECT_EQ(histogram{}.quantile(0.99), 0U);
}

}  // namespace
}  // namespace skiff_bench
