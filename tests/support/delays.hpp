// Threads that are held up where others can come between (T11): as long as it lives, one in twenty
// that passes a named place (src/base/delay_point.hpp) sleeps for a while.
//
//     const delays held_up(test_seed(), 500us);
//     … threads …
//     EXPECT_EQ(delays::not_passed(delay_point::reader_marked, delay_point::timer_looks), 0U);
#pragma once

#include "base/delay_point.hpp"

#include <chrono>
#include <cstdint>

namespace skiff_test {

/// Sleeps up to `longest`, once in twenty calls; the same for a seed as far as the order of calls
/// is. Keeps errno.
void sleep_perhaps(std::uint64_t seed, std::chrono::microseconds longest) noexcept;

/// One at a time in a process. Does nothing in a build without assertions.
class delays {
  public:
    explicit delays(std::uint64_t seed,
                    std::chrono::microseconds longest = std::chrono::microseconds(5000)) noexcept;
    ~delays();
    delays(const delays&) = delete;
    delays& operator=(const delays&) = delete;

    /// How many of the points from the first to the last of these nobody passed since it began: a
    /// test that never gets there holds up nobody. 0 where there are no points.
    [[nodiscard]] static int not_passed(skiff::delay_point first, skiff::delay_point last);
};

}  // namespace skiff_test
