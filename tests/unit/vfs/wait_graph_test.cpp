// Rule C10: connections that want each other's databases do not wait for each other.
#include "vfs/wait_graph.hpp"

#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/write_turn.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::vfs::turn_wait;
using skiff::vfs::write_turn;

TEST(WaitGraph, c10_circle_of_three_is_closed_by_the_last) {
    std::array<write_turn, 3> turns;
    const std::array<int, 3> connections{};
    for (std::size_t at = 0; at < 3; ++at) turns[at].set_owner(&connections[at]);

    const turn_wait first(&connections[0], turns[1]);
    const turn_wait second(&connections[1], turns[2]);
    {
        const turn_wait third(&connections[2], turns[0]);
        EXPECT_TRUE(third.closes_circle());
    }

    EXPECT_FALSE(first.closes_circle());
    EXPECT_FALSE(second.closes_circle());
    turns[0].set_owner(nullptr);
    EXPECT_FALSE(turn_wait(&connections[2], turns[0]).closes_circle());
}

TEST(WaitGraph, c10_chain_that_ends_is_no_circle) {
    std::array<write_turn, 2> turns;
    const std::array<int, 4> connections{};
    turns[0].set_owner(&connections[0]);
    turns[1].set_owner(&connections[1]);
    const turn_wait first(&connections[1], turns[0]);

    EXPECT_FALSE(turn_wait(&connections[2], turns[1]).closes_circle());
    EXPECT_FALSE(turn_wait(&connections[3], turns[0]).closes_circle());
    EXPECT_FALSE(turn_wait(nullptr, turns[0]).closes_circle());
}

/// Two databases, and connections that have both.
class TwoDatabases : public testing::Test {
  protected:
    TwoDatabases() {
        for (const auto* name : {"a.db", "b.db"}) {
            open_ours(folder / name)->exec("pragma journal_mode=wal; create table t(x)");
        }
    }
    [[nodiscard]] std::unique_ptr<raw_database> open(const char* first, const char* second) const {
        auto db = open_ours(folder / first);
        db->exec("pragma busy_timeout=20000; pragma synchronous=normal; attach '" +
                 (folder / second).string() + "' as other");
        return db;
    }
    temp_dir folder;
};

TEST_F(TwoDatabases, c10_connections_in_opposite_order_never_stall) {
    std::atomic<int> refused{0};
    std::atomic<std::int64_t> longest_us{0};
    const auto work = [&](const char* first, const char* second) {
        const auto db = open(first, second);
        for (int round = 0; round < 300; ++round) {
            const auto started = std::chrono::steady_clock::now();
            if (db->try_exec("begin; insert into main.t values(1); insert into other.t values(1);"
                             "commit") != SQLITE_OK) {
                ++refused;
                db->exec("rollback");
            }
            const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
                                  std::chrono::steady_clock::now() - started)
                                  .count();
            if (took > longest_us) longest_us = took;
        }
    };

    std::thread forth([&] { work("a.db", "b.db"); });
    work("b.db", "a.db");
    forth.join();

    constexpr std::int64_t far_below_the_timeout_us = 5'000'000;
    EXPECT_LT(longest_us, far_below_the_timeout_us);
    const auto a = open_ours(folder / "a.db")->number("select count(*) from t");
    EXPECT_EQ(a, open_ours(folder / "b.db")->number("select count(*) from t"));
    EXPECT_EQ(a, 600 - refused);
}

}  // namespace
