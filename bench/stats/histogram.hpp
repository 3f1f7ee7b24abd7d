// Latencies by logarithmic buckets with a relative error below 1.6 %, in a fixed amount of memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace skiff_bench {

/// Of nanoseconds. One thread at a time.
class histogram {
  public:
    void add(std::uint64_t nanoseconds) noexcept {
        ++counts_[bucket_of(nanoseconds)];
        ++total_;
        if (nanoseconds > max_) max_ = nanoseconds;
    }
    void add(const histogram& other) noexcept {
        for (std::size_t at = 0; at < counts_.size(); ++at) counts_[at] += other.counts_[at];
        total_ += other.total_;
        if (other.max_ > max_) max_ = other.max_;
    }
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
    /// The smallest bucket's upper bound with `fraction` of all values at or below; 0 of none.
    [[nodiscard]] std::uint64_t quantile(double fraction) const noexcept {
        const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(total_));
        std::uint64_t seen = 0;
        for (std::size_t at = 0; at < counts_.size(); ++at) {
            seen += counts_[at];
            if (seen > wanted) return upper_bound_of(at) < max_ ? upper_bound_of(at) : max_;
        }
        return max_;
    }

  private:
    static constexpr int step_bits = 6;  // 64 buckets each time the value doubles
    static constexpr std::uint64_t steps = std::uint64_t{1} << step_bits;

    static std::size_t bucket_of(std::uint64_t value) noexcept {
        if (value < steps) return static_cast<std::size_t>(value);
        const int shift = static_cast<int>(std::bit_width(value)) - 1 - step_bits;
        return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) + 1) * steps +
                                        (value >> shift) - steps);
    }
    static std::uint64_t upper_bound_of(std::size_t bucket) noexcept {
        if (bucket < steps) return bucket;
        const std::uint64_t shift = bucket / steps - 1;
        return ((bucket % steps + steps + 1) << shift) - 1;
    }

    std::array<std::uint64_t, (64 - step_bits + 1) << step_bits> counts_{};
    std::uint64_t total_ = 0;
    std::uint64_t max_ = 0;
};

}  // namespace skiff_bench
