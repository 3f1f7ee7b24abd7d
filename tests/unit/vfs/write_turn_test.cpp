// The line of writers of one process: order, timeouts, and that nobody is forgotten.
#include "vfs/write_turn.hpp"

#include "support/latch_gate.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::vfs::write_turn;
using clock_now = write_turn::clock;

constexpr auto for_ever = clock_now::time_point::max();
/// Longer than others may go before the one that waits longest.
constexpr auto beyond_barging = 25ms;

/// Threads that stand in line one after the other and note who had the turn.
class WriteTurn : public testing::Test {
  protected:
    ~WriteTurn() override { join_all(); }

    /// Returns when the thread waits.
    void stand_in_line(int name, clock_now::time_point until = for_ever) {
        const auto before = turn.waited();
        threads.emplace_back([this, name, until] {
            const bool had = turn.take(until);
            {
                const std::lock_guard lock(guard);
                (had ? served : given_up).push_back(name);
            }
            if (had) turn.give_back();
        });
        wait_until([&] { return turn.waited() > before; }, "a waiter");
    }
    void join_all() {
        for (auto& each : threads) each.join();
        threads.clear();
    }
    static void wait_for(std::chrono::milliseconds time) {
        const auto until = clock_now::now() + time;
        wait_until([until] { return clock_now::now() > until; }, "time to pass");
    }

    write_turn turn;
    std::vector<std::thread> threads;
    std::mutex guard;
    std::vector<int> served;
    std::vector<int> given_up;
};

TEST_F(WriteTurn, free_turn_is_had_at_once) {
    EXPECT_FALSE(turn.is_wanted());

    EXPECT_TRUE(turn.take(clock_now::now()));

    EXPECT_TRUE(turn.is_wanted());
    EXPECT_EQ(turn.waited(), 0U);
    turn.give_back();
    EXPECT_FALSE(turn.is_wanted());
}

TEST_F(WriteTurn, taken_turn_is_refused_to_who_does_not_wait) {
    ASSERT_TRUE(turn.try_take());

    EXPECT_FALSE(turn.try_take());
    EXPECT_FALSE(turn.take(clock_now::now() - 1s));

    turn.give_back();
    EXPECT_TRUE(turn.try_take());
    turn.give_back();
    EXPECT_FALSE(turn.is_wanted());
}

TEST_F(WriteTurn, c5_grants_after_long_waits_go_in_the_order_of_arrival) {
    ASSERT_TRUE(turn.try_take());
    for (int name = 1; name <= 5; ++name) stand_in_line(name);
    wait_for(beyond_barging);

    turn.give_back();
    join_all();

    EXPECT_EQ(served, (std::vector<int>{1, 2, 3, 4, 5}));
    EXPECT_FALSE(turn.is_wanted());
}

TEST_F(WriteTurn, c5_late_waiter_is_unlinked_and_the_others_keep_their_order) {
    ASSERT_TRUE(turn.try_take());
    stand_in_line(1);
    stand_in_line(2, clock_now::now() + 2ms);
    stand_in_line(3);
    wait_until(
        [&] {
            const std::lock_guard lock(guard);
            return !given_up.empty();
        },
        "a timeout");
    wait_for(beyond_barging);

    turn.give_back();
    join_all();

    EXPECT_EQ(given_up, (std::vector<int>{2}));
    EXPECT_EQ(served, (std::vector<int>{1, 3}));
}

/// Whoever has a processor goes first only as long as nobody waits for long.
TEST_F(WriteTurn, c8_who_waited_long_gets_the_turn_before_those_that_come) {
    ASSERT_TRUE(turn.try_take());
    stand_in_line(1);
    wait_for(beyond_barging);

    turn.give_back();
    int went_first = 0;
    while (turn.take_if_free(true)) {
        ++went_first;
        const bool is_served = [&] {
            const std::lock_guard lock(guard);
            return !served.empty();
        }();
        turn.give_back();
        if (is_served || went_first > 1000) break;
    }
    join_all();

    EXPECT_LE(went_first, 1);  // after it, not before
    EXPECT_EQ(served, (std::vector<int>{1}));
}

TEST_F(WriteTurn, c12_try_take_lets_those_go_first_that_wait) {
    ASSERT_TRUE(turn.try_take());
    std::atomic<bool> may_go{false};
    const auto before = turn.waited();
    threads.emplace_back([&] {
        EXPECT_TRUE(turn.take(for_ever));
        wait_until([&] { return may_go.load(); }, "the end");
        turn.give_back();
    });
    wait_until([&] { return turn.waited() > before; }, "a waiter");

    turn.give_back();

    EXPECT_FALSE(turn.try_take());  // it waits, or has the turn already
    may_go = true;
    join_all();
    EXPECT_TRUE(turn.try_take());
    turn.give_back();
}

TEST_F(WriteTurn, c5_grant_that_meets_a_timeout_is_consumed_or_passed_on) {
    const int rounds = count_from("SKIFF_TURN_ROUNDS", 60);
    for (int round = 0; round < rounds; ++round) {
        ASSERT_TRUE(turn.try_take());
        const auto start = clock_now::now();
        stand_in_line(1, start + beyond_barging);  // late at the moment of its grant
        stand_in_line(2);
        const auto moment = start + beyond_barging + std::chrono::microseconds(round % 8 * 20);
        wait_until([moment] { return clock_now::now() >= moment; }, "the moment");

        turn.give_back();
        join_all();  // nobody is forgotten

        EXPECT_EQ(served.size() + given_up.size(), 2U);
        EXPECT_EQ(served.back(), 2);
        EXPECT_FALSE(turn.is_wanted());
        served.clear();
        given_up.clear();
    }
}

//   late waiter          holder             next waiter
//   its time is over
//                        gives back: wakes the first
//   takes it all the same, and gives it on
//                                           has it
TEST_F(WriteTurn, c5_wake_up_that_meets_a_timeout_is_passed_on) {
    const int rounds = count_from("SKIFF_TURN_ROUNDS", 120);
    for (int round = 0; round < rounds; ++round) {
        ASSERT_TRUE(turn.try_take());
        const auto end = clock_now::now() + 3ms;
        stand_in_line(1, end);
        stand_in_line(2, end + 10s);
        const auto moment = end + std::chrono::microseconds(round % 12 * 10);
        while (clock_now::now() < moment) std::this_thread::yield();

        turn.give_back();
        join_all();

        EXPECT_EQ(served.size() + given_up.size(), 2U);
        ASSERT_FALSE(served.empty());
        ASSERT_EQ(served.back(), 2);
        served.clear();
        given_up.clear();
    }
}

/// Many threads with deadlines of all lengths, none included.
TEST_F(WriteTurn, c5_storm_has_one_holder_at_most_and_forgets_nobody) {
    const auto seed = test_seed();
    const int rounds = count_from("SKIFF_TURN_ROUNDS", 1500);
    std::atomic<int> holders{0};
    std::atomic<int> most{0};
    std::atomic<long> granted{0};
    long counted = 0;  // under the turn alone
    for (unsigned thread = 0; thread < 16; ++thread) {
        threads.emplace_back([&, thread] {
            random_numbers random(seed + thread);
            for (int round = 0; round < rounds; ++round) {
                const bool waits = !random.once_in(5);
                const auto until =
                    random.once_in(4)
                        ? for_ever
                        : clock_now::now() + std::chrono::microseconds(random.below(300));
                if (!(waits ? turn.take(until) : turn.try_take())) continue;
                most = std::max(most.load(), holders.fetch_add(1) + 1);
                ++counted;
                if (random.once_in(8)) std::this_thread::yield();
                holders.fetch_sub(1);
                granted.fetch_add(1);
                turn.give_back();
            }
        });
    }

    join_all();

    EXPECT_EQ(most, 1);
    EXPECT_EQ(counted, granted);
    EXPECT_GT(granted, 0);
    EXPECT_FALSE(turn.is_wanted());
    EXPECT_TRUE(turn.try_take());
    turn.give_back();
}

TEST_F(WriteTurn, one_that_may_not_wait_waits_for_the_governor) {
    ASSERT_TRUE(turn.take(for_ever, true));
    std::atomic<bool> had = false;
    threads.emplace_back([&] {
        had = turn.take_after_governor(for_ever);
        if (had) turn.give_back();
    });
    wait_for(beyond_barging);
    EXPECT_FALSE(had);

    turn.give_back();

    join_all();
    EXPECT_TRUE(had);
}

TEST_F(WriteTurn, one_that_may_not_wait_is_refused_while_a_writer_has_the_turn) {
    ASSERT_TRUE(turn.take(for_ever, true));
    turn.give_back();
    ASSERT_TRUE(turn.take(for_ever));

    EXPECT_FALSE(turn.take_after_governor(for_ever));

    turn.give_back();
}

TEST_F(WriteTurn, wait_for_the_governor_ends_in_time) {
    ASSERT_TRUE(turn.take_if_free(true, true));

    EXPECT_FALSE(turn.take_after_governor(clock_now::now() + 1ms));

    turn.give_back();
}

}  // namespace
