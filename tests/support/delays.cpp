// The hook is a plain function, so what it needs is in static storage.
#include "support/delays.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <iostream>

namespace skiff_test {

namespace {

using skiff::delay_point;

std::atomic<std::uint64_t> seed_now{0};
std::atomic<std::int64_t> longest_us{0};
std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(delay_point::count)> passes_seen{};

[[maybe_unused]] void come_by(delay_point where) noexcept {
    passes_seen[static_cast<std::size_t>(where)].fetch_add(1, std::memory_order_relaxed);
    sleep_perhaps(seed_now.load(std::memory_order_relaxed),
                  std::chrono::microseconds(longest_us.load(std::memory_order_relaxed)));
}

}  // namespace

void sleep_perhaps(std::uint64_t seed, std::chrono::microseconds longest) noexcept {
    static std::atomic<std::uint64_t> turn{0};
    std::uint64_t bits = (seed << 32U) + turn.fetch_add(1, std::memory_order_relaxed);
    bits = (bits ^ bits >> 31U) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ bits >> 29U) * 0xbf58476d1ce4e5b9U;
    constexpr unsigned one_in = 20;
    if (bits % one_in != 0) return;
    const int kept = errno;
    const auto micros = (bits >> 40U) % static_cast<std::uint64_t>(longest.count());
    const timespec pause{0, static_cast<long>(micros) * 1000};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    errno = kept;
}

delays::delays(std::uint64_t seed, std::chrono::microseconds longest) noexcept {
    for (auto& each : passes_seen) each = 0;
    seed_now = seed;
    longest_us = longest.count();
#ifndef NDEBUG
    skiff::delay_hook = come_by;
#endif
}

delays::~delays() {
#ifndef NDEBUG
    skiff::delay_hook = nullptr;
#endif
}

int delays::not_passed(delay_point first, delay_point last) {
    int missed = 0;
    for (auto at = static_cast<std::size_t>(first); at <= static_cast<std::size_t>(last); ++at) {
        if (!skiff::has_delay_points || passes_seen[at] > 0) continue;
        std::cout << "nobody passed the delay point of number " << at << '\n';
        ++missed;
    }
    return missed;
}

}  // namespace skiff_test
