// The number of samples below the median is binomial with p = 1/2: the k-th smallest and the k-th
// largest hold it with a confidence that follows from k.
#include "stats/summary.hpp"

#include <algorithm>
#include <cmath>

namespace skiff_bench {

namespace {

constexpr double confidence = 0.95;

/// Largest k for which the k-th smallest and largest hold the median with the confidence; 1 when
/// there are too few samples for it.
std::size_t rank_of_bounds(std::size_t count) {
    const auto n = static_cast<double>(count);
    double tail = 0;  // probability that fewer than k samples lie below the median
    std::size_t rank = 1;
    for (std::size_t k = 0; k < count / 2; ++k) {
        const auto at = static_cast<double>(k);
        const double log_choose =
            std::lgamma(n + 1) - std::lgamma(at + 1) - std::lgamma(n - at + 1);
        tail += std::exp(log_choose - n * std::log(2.0));
        if (1 - 2 * tail < confidence) break;
        rank = k + 1;
    }
    return rank;
}

}  // namespace

summary summarize(std::vector<double> samples) {
    std::ranges::sort(samples);
    const std::size_t count = samples.size();
    const std::size_t rank = rank_of_bounds(count);
    const double middle = samples[count / 2];
    const double median = count % 2 == 1 ? middle : (samples[count / 2 - 1] + middle) / 2;
    return {median, samples[rank - 1], samples[count - rank], count};
}

bool are_apart(const summary& one, const summary& other) noexcept {
    return one.high < other.low || other.high < one.low;
}

}  // namespace skiff_bench
