// What a set of samples says: the median, and an interval that holds the true one with 95 %
// confidence. By order statistics, so that nothing is assumed of how samples are distributed.
#pragma once

#include <vector>

namespace skiff_bench {

struct summary {
    double median = 0;
    double low = 0;   ///< with 95 % confidence the median is not below; the least of few samples
    double high = 0;  ///< nor above
    std::size_t samples = 0;
};

/// Of at least one sample.
[[nodiscard]] summary summarize(std::vector<double> samples);

/// Whether the intervals have no value in common.
[[nodiscard]] bool are_apart(const summary& one, const summary& other) noexcept;

}  // namespace skiff_bench
