// The table of WAL locks under many threads, with another process and the timer between them.
#include "support/delays.hpp"
#include "support/seed.hpp"
#include "unit/vfs/slot_differential.hpp"
#include "unit/vfs/slot_fixture.hpp"
#include "vfs/slot_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace skiff::vfs;

/// What each lock protects, without a lock of its own: the thread sanitizer sees a lock that does
/// not order memory (rule A13).
struct protected_number {
    long value = 0;
};

class SlotStorm : public testing::Test {
  protected:
    static constexpr int threads_count = 8;

    void use_shared(slot_user& mine, int slot) {
        if (mine.share(slot) != SQLITE_OK) return;
        const auto& number = numbers[static_cast<std::size_t>(slot)];
        const long before = number.value;
        std::this_thread::yield();
        if (number.value != before) ++broken;
        ++shared_grants;
        mine.unshare(slot);
    }
    void use_exclusively(slot_user& mine, byte_range range) {
        if (mine.exclude(range.first, range.count) != SQLITE_OK) return;
        for (int slot = range.first; slot < range.first + range.count; ++slot) {
            ++numbers[static_cast<std::size_t>(slot)].value;
        }
        added += range.count;
        static_cast<void>(mine.unexclude(range.first, range.count));
    }
    void be_a_connection(std::uint64_t seed) {
        random_numbers random(seed);
        slot_user mine(table, host);
        for (int round = 0; round < rounds; ++round) {
            if (random.once_in(4)) {
                use_exclusively(mine, exclusive_ranges[static_cast<std::size_t>(random.below(12))]);
            } else {
                use_shared(mine, random.once_in(10) ? random.below(3) : 3 + random.below(5));
            }
        }
        --running;
    }
    void be_another_process(std::uint64_t seed) {
        random_numbers random(seed);
        while (running > 0) {
            host.others = true;
            for (int step = 0; step < 20; ++step) {
                const int slot = random.below(slot_count);
                const auto kind = random.once_in(2) ? lock_kind::shared : lock_kind::exclusive;
                if (host.take_elsewhere(kind, slot, 1)) ++taken_elsewhere;
                std::this_thread::yield();
                host.release_elsewhere(slot, 1);
            }
            host.others = false;
            while (running > 0 && !table.is_alone()) std::this_thread::yield();
            const int before = shared_grants;
            while (running > 0 && shared_grants < before + 500) std::this_thread::yield();
        }
    }
    /// Everybody at once, to the end.
    void storm() {
        const auto seed = test_seed();
        std::vector<std::thread> threads;
        threads.reserve(threads_count + 2);
        for (int thread = 0; thread < threads_count; ++thread) {
            threads.emplace_back(
                [&, thread] { be_a_connection(seed + static_cast<unsigned>(thread)); });
        }
        threads.emplace_back([&] { be_another_process(seed + 100); });
        threads.emplace_back([&] { be_the_timer(); });
        for (auto& each : threads) each.join();
    }
    void expect_nothing_broken() {
        EXPECT_EQ(host.faults(), std::vector<std::string>{});
        EXPECT_EQ(broken, 0);
        long counted = 0;
        for (const auto& each : numbers) counted += each.value;
        EXPECT_EQ(counted, added);
        EXPECT_GT(added, 0);
        EXPECT_GT(shared_grants, 0);
        host.others = true;
        for (int tick = 0; tick < 3; ++tick) static_cast<void>(table.tick());
        EXPECT_EQ(host.kernel_state(), "--------");
    }
    void be_the_timer() {
        while (running > 0) {
            static_cast<void>(table.tick());
            std::this_thread::yield();
        }
    }

    int rounds = count_from("SKIFF_SLOT_ROUNDS", 4000);
    fake_slot_host host;
    slot_table table{host, true};
    std::array<protected_number, slot_count> numbers;
    std::atomic<int> running{threads_count};
    std::atomic<int> broken{0};
    std::atomic<int> shared_grants{0};
    std::atomic<int> taken_elsewhere{0};
    std::atomic<long> added{0};
};

TEST_F(SlotStorm, a1_many_threads_and_another_process_never_break_exclusion) {
    storm();

    expect_nothing_broken();
}

TEST_F(SlotStorm, t11_threads_held_up_between_any_two_steps_break_nothing) {
    constexpr int storms_max = 100;  // the rarest point is missed by one storm in five
    rounds /= 8;
    const delays held_up(test_seed(), std::chrono::microseconds(300));
    const auto is_missed = [] {
        return delays::not_passed(skiff::delay_point::reader_marked,
                                  skiff::delay_point::timer_looks) > 0;
    };

    for (int storms = 0; storms == 0 || (is_missed() && storms < storms_max); ++storms) {
        running = threads_count;
        storm();
    }

    expect_nothing_broken();
    EXPECT_FALSE(is_missed());
}

/// The same without telling the fake, whose mutex would order memory by itself.
TEST_F(SlotStorm, a13_locks_alone_order_what_they_protect) {
    const auto seed = test_seed();
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < threads_count; ++thread) {
        threads.emplace_back([&, thread] {
            random_numbers random(seed + thread);
            auto& mine = *table.attach();
            for (int round = 0; round < rounds; ++round) {
                const int slot = random.once_in(10) ? random.below(3) : 3 + random.below(5);
                auto& number = numbers[static_cast<std::size_t>(slot)];
                if (random.once_in(4)) {
                    if (table.lock_exclusive(mine, slot, 1) != SQLITE_OK) continue;
                    ++number.value;
                    ++added;
                    static_cast<void>(table.unlock_exclusive(mine, slot, 1));
                } else if (table.lock_shared(mine, slot) == SQLITE_OK) {
                    const long before = number.value;
                    if (random.once_in(4)) std::this_thread::yield();
                    if (number.value != before) ++broken;
                    table.unlock_shared(mine, slot);
                }
            }
            table.detach(mine);
            --running;
        });
    }
    threads.emplace_back([&] { be_the_timer(); });

    for (auto& each : threads) each.join();

    EXPECT_EQ(broken, 0);
    long counted = 0;
    for (const auto& each : numbers) counted += each.value;
    EXPECT_EQ(counted, added);
}

}  // namespace
