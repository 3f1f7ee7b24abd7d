// A moment on the monotonic clock by which an operation must be done, or none.
#pragma once

#include <chrono>

namespace skiff {

/// Converts from a duration ("20 ms from now") and from a steady_clock time point. Immutable.
class deadline {
  public:
    using clock = std::chrono::steady_clock;

    /// No deadline.
    constexpr deadline() noexcept = default;
    template <class Rep, class Period>  // NOLINTNEXTLINE(google-explicit-constructor): `20ms`
    constexpr deadline(std::chrono::duration<Rep, Period> from_now)
        : at_(clock::now() + std::chrono::ceil<clock::duration>(from_now)) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr deadline(clock::time_point at) noexcept : at_(at) {}

    [[nodiscard]] constexpr bool is_set() const noexcept { return at_ != clock::time_point::max(); }
    [[nodiscard]] constexpr clock::time_point at() const noexcept { return at_; }
    [[nodiscard]] bool has_passed() const noexcept { return is_set() && clock::now() >= at_; }

  private:
    clock::time_point at_ = clock::time_point::max();
};

}  // namespace skiff
