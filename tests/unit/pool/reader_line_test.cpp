// Callers that wait for a reader, while others never stop reading.
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>
#include <skiff/mapping/text.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace skiff_test {
namespace {

using namespace std::chrono_literals;

class ReaderLine : public testing::Test {
  protected:
    [[nodiscard]] skiff::database open(int readers) const {
        skiff::open_options options;
        options.readers = readers;
        return skiff::database::open(folder / "a.db", options);
    }
    temp_dir folder;
};

// Those that run take the reader before the one that waits wakes up, but not for ever.
TEST_F(ReaderLine, caller_that_waits_is_served_while_others_read_all_the_time) {
    auto db = open(1);
    std::atomic<bool> stop{false};
    std::atomic<int> served{0};
    std::vector<std::thread> threads;
    constexpr int callers = 6;
    for (int i = 0; i < callers; ++i) {
        threads.emplace_back([&] {
            for (int reads = 0; !stop || reads == 0; ++reads) {
                EXPECT_EQ(db.one<int>("select 1 from (select 1)"), 1);
                if (reads == 0) ++served;
            }
        });
    }
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (served < callers && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    const int before_the_end = served;
    stop = true;
    for (auto& each : threads) each.join();

    EXPECT_EQ(before_the_end, callers);
}

// Two are freed while one sleeps: each waiter must hear of one of them.
TEST_F(ReaderLine, readers_that_are_freed_together_all_find_a_waiter) {
    auto db = open(2);
    for (int round = 0; round < 200; ++round) {
        std::vector<skiff::snapshot> held;
        held.push_back(db.read());
        std::thread other([&] {
            auto mine = db.read();
            held.push_back(std::move(mine));
        });
        other.join();
        std::atomic<int> served{0};
        std::vector<std::thread> waiting;
        for (int i = 0; i < 3; ++i) {
            waiting.emplace_back([&] {
                auto mine = db.read();
                ++served;
                const auto until = std::chrono::steady_clock::now() + 20s;
                // Each keeps its reader until two have one: nobody gives one back before.
                while (served < 2 && std::chrono::steady_clock::now() < until) {
                    std::this_thread::yield();
                }
                EXPECT_GE(served, 2);
            });
        }
        held.clear();
        for (auto& each : waiting) each.join();
    }
}

}  // namespace
}  // namespace skiff_test
