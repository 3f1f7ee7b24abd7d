// The line of callers by itself, without a database: first come, first served; who gives up, when,
// and who no longer may; and that leading is handed on.
#include "commit/queue.hpp"

#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"

#include <skiff/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::errc;
using skiff::detail::batch_mix;
using skiff::detail::waiter;
using skiff::detail::write_queue;

class Queue : public testing::Test {
  protected:
    ~Queue() override {
        for (auto& each : threads) each.join();
    }
    /// Starts a thread that waits for its turn; returns when it stands in line. A thread that leads
    /// notes so and lets the next one go.
    waiter& stand_in_line() {
        waiters.emplace_back();
        waiter& mine = waiters.back();
        mine.unit = &unit;
        start(mine);
        return mine;
    }
    void start(waiter& mine) {
        const auto before = queue.length();
        threads.emplace_back([this, &mine] {
            try {
                if (queue.wait_turn(mine)) {
                    note(mine);
                    queue.finish(mine, mine);
                }
            } catch (const skiff::error& thrown) {
                const std::lock_guard lock(guard);
                gave_up.push_back(thrown.code());
            }
        });
        wait_until([&] { return queue.length() > before || gave_up_count() > 0; }, "the line");
    }
    void note(waiter& mine) {
        const std::lock_guard lock(guard);
        led.push_back(&mine);
    }
    std::size_t gave_up_count() {
        const std::lock_guard lock(guard);
        return gave_up.size();
    }
    void join_all() {
        for (auto& each : threads) each.join();
        threads.clear();
    }

    write_queue queue;
    skiff::detail::write_unit unit;
    std::deque<waiter> waiters;
    std::vector<std::thread> threads;
    std::mutex guard;
    std::vector<waiter*> led;
    std::vector<errc> gave_up;
};

TEST_F(Queue, lone_caller_leads_at_once) {
    waiter mine;

    EXPECT_TRUE(queue.wait_turn(mine));
    queue.finish(mine, mine);

    EXPECT_EQ(queue.length(), 0U);
}

TEST_F(Queue, waiting_callers_lead_in_order_of_arrival) {
    waiter first;
    ASSERT_TRUE(queue.wait_turn(first));
    std::vector<waiter*> arrived;
    for (int i = 0; i < 8; ++i) arrived.push_back(&stand_in_line());

    queue.finish(first, first);
    join_all();

    EXPECT_EQ(led, arrived);
}

TEST_F(Queue, taken_callers_are_done_and_do_not_lead) {
    waiter first;
    first.unit = &unit;
    ASSERT_TRUE(queue.wait_turn(first));
    auto& second = stand_in_line();
    auto& third = stand_in_line();
    auto& fourth = stand_in_line();
    const batch_mix mix;

    ASSERT_EQ(queue.take_next(first, mix), &second);
    ASSERT_EQ(queue.take_next(second, mix), &third);
    queue.finish(first, third);
    join_all();

    EXPECT_EQ(led, (std::vector<waiter*>{&fourth}));
}

TEST_F(Queue, caller_that_does_not_fit_is_not_taken_nor_overtaken) {
    waiter first;
    first.unit = &unit;
    ASSERT_TRUE(queue.wait_turn(first));
    skiff::detail::write_unit wants_alone;
    wants_alone.alone = true;
    waiters.emplace_back();
    auto& second = waiters.back();
    second.unit = &wants_alone;
    start(second);
    auto& third = stand_in_line();
    batch_mix mix;
    mix.add(first);

    auto* taken = queue.take_next(first, mix);
    queue.finish(first, first);
    join_all();

    EXPECT_EQ(taken, nullptr);
    EXPECT_EQ(led, (std::vector<waiter*>{&second, &third}));
}

TEST_F(Queue, deadline_in_line_is_a_timeout_and_leaves_the_line) {
    waiter first;
    ASSERT_TRUE(queue.wait_turn(first));
    waiter late;
    late.deadline = 20ms;

    const auto code = code_of([&] { static_cast<void>(queue.wait_turn(late)); });

    EXPECT_EQ(code, errc::timeout);
    EXPECT_EQ(queue.length(), 1U);
    queue.finish(first, first);
}

TEST_F(Queue, caller_in_the_middle_that_gives_up_leaves_the_others_in_order) {
    waiter first;
    ASSERT_TRUE(queue.wait_turn(first));
    auto& second = stand_in_line();
    waiter late;
    late.deadline = skiff::deadline::clock::now() - 1ms;
    EXPECT_EQ(code_of([&] { static_cast<void>(queue.wait_turn(late)); }), errc::timeout);
    auto& third = stand_in_line();

    queue.finish(first, first);
    join_all();

    EXPECT_EQ(led, (std::vector<waiter*>{&second, &third}));
}

TEST_F(Queue, stop_in_line_is_interrupted) {
    waiter first;
    ASSERT_TRUE(queue.wait_turn(first));
    std::stop_source source;
    waiters.emplace_back();
    waiters.back().stop = source.get_token();
    start(waiters.back());

    source.request_stop();
    join_all();

    EXPECT_EQ(gave_up, (std::vector{errc::interrupted}));
    EXPECT_EQ(queue.length(), 1U);
    queue.finish(first, first);
}

TEST_F(Queue, stop_requested_before_gives_up_without_waiting) {
    waiter first;
    ASSERT_TRUE(queue.wait_turn(first));
    std::stop_source source;
    source.request_stop();
    waiter mine;
    mine.stop = source.get_token();

    const auto code = code_of([&] { static_cast<void>(queue.wait_turn(mine)); });

    EXPECT_EQ(code, errc::interrupted);
    queue.finish(first, first);
}

// leader                      caller with a deadline
// takes it
//                             its deadline passes, a stop is requested
// finishes
//                             is done, not timed out: its work has run
TEST_F(Queue, taken_caller_no_longer_gives_up) {
    waiter first;
    first.unit = &unit;
    ASSERT_TRUE(queue.wait_turn(first));
    std::stop_source source;
    waiters.emplace_back();
    waiter& late = waiters.back();
    late.unit = &unit;
    late.stop = source.get_token();
    start(late);

    ASSERT_EQ(queue.take_next(first, batch_mix()), &late);
    source.request_stop();
    queue.finish(first, late);
    join_all();

    EXPECT_TRUE(gave_up.empty());
    EXPECT_TRUE(led.empty());
}

// Many callers come, lead, time out and are stopped at once: nobody is lost, the line ends empty.
TEST_F(Queue, storm_of_arrivals_and_departures_ends_empty) {
    std::atomic<int> ended{0};
    constexpr int callers = 8;
    constexpr int rounds = 300;
    for (int t = 0; t < callers; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) {
                waiter mine;
                mine.unit = &unit;
                std::stop_source source;
                if (t % 3 == 1) mine.deadline = std::chrono::microseconds(i % 50);
                if (t % 3 == 2) mine.stop = source.get_token();
                if (t % 3 == 2 && i % 2 == 0) source.request_stop();
                try {
                    if (queue.wait_turn(mine)) {
                        const waiter* last = &mine;
                        while (auto* next = queue.take_next(*last, batch_mix())) last = next;
                        queue.finish(mine, *last);
                    }
                } catch (const skiff::error&) {
                }
                ++ended;
            }
        });
    }

    join_all();

    EXPECT_EQ(ended.load(), callers * rounds);
    EXPECT_EQ(queue.length(), 0U);
}

}  // namespace
