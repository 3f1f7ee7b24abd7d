// The seed of a random test: printed, so that a failing run can be run again with SKIFF_SEED set to
// it. Each use of one seed in one test gives the same numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace skiff_test {

/// The seed of the running test, from SKIFF_SEED or from the system.
[[nodiscard]] inline std::uint64_t test_seed() {
    const char* given = std::getenv("SKIFF_SEED");
    const std::uint64_t seed =
        given != nullptr && *given != '\0' ? std::stoull(given) : std::random_device()();
    std::cout << "SKIFF_SEED=" << seed << " repeats this run\n";
    testing::Test::RecordProperty("seed", std::to_string(seed));
    return seed;
}

/// A count from the environment, or the one given here.
[[nodiscard]] inline int count_from(const char* variable, int otherwise) {
    const char* given = std::getenv(variable);
    return given != nullptr && *given != '\0' ? std::stoi(given) : otherwise;
}

/// Random numbers that are the same on every standard library. One thread at a time.
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : engine_(seed) {}
    /// From 0 to `limit` - 1.
    int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }
    /// True once in `times`.
    bool once_in(int times) { return below(times) == 0; }
    std::uint64_t bits() { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace skiff_test
