// Rule C8: writers of other processes stand in no line here, and must find WRITE free all the same.
#include "vfs/process_turns.hpp"

#include "support/child_process.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/status.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::vfs::process_turns;

/// A process that has WRITE for so long, and leaves it free for so long, again and again.
struct writer {
    process_turns turns;
    process_turns::clock::time_point now = process_turns::clock::now();

    /// The pause after each of the commits, together.
    process_turns::duration commits(int count,
                                    process_turns::duration held,
                                    process_turns::duration free,
                                    bool others_write) {
        process_turns::duration paused{};
        for (int commit = 0; commit < count; ++commit) {
            turns.begin(others_write, now);
            now += held;
            const auto pause = turns.end(now);
            paused += pause;
            now += pause + free;
        }
        return paused;
    }
};

TEST(ProcessTurns, c8_half_of_the_time_is_left_to_a_rival) {
    writer mine;

    EXPECT_EQ(mine.commits(1000, 10us, 0us, true), 10ms) << "for 10 ms with WRITE";
}

TEST(ProcessTurns, c8_time_that_is_free_anyhow_is_counted) {
    writer mine;

    EXPECT_EQ(mine.commits(1000, 20us, 100us, true), 0ms) << "as while it waits for a sync";
    EXPECT_EQ(mine.commits(1000, 10us, 5us, true), 5ms);
}

TEST(ProcessTurns, c8_little_is_left_while_nobody_else_wrote) {
    writer mine;

    EXPECT_EQ(mine.commits(10000, 10us, 0us, false), 1ms) << "a hundredth of 100 ms";
}

TEST(ProcessTurns, c8_rival_that_was_not_seen_for_long_is_forgotten) {
    writer mine;
    mine.commits(1, 1us, 0us, true);

    EXPECT_GE(mine.commits(1000, 10us, 0us, false), 9ms);
    mine.now += 300ms;
    EXPECT_EQ(mine.commits(1000, 10us, 0us, false), 100us);
}

TEST(ProcessTurns, c8_rival_that_has_write_may_go_on_for_as_long_as_we_had_it) {
    writer mine;
    mine.commits(30, 10us, 0us, true);

    EXPECT_EQ(mine.turns.give_way(), 300us);
    EXPECT_EQ(mine.turns.give_way(), 0us) << "once";
}

std::uint64_t pauses_of(const raw_database& db) {
    skiff::vfs::vfs_status status;
    sqlite3_file_control(db.handle(), "main", skiff::vfs::fcntl_status, &status);
    return status.pauses_for_others;
}

TEST(ProcessTurns, c8_writer_beside_a_stock_process_that_writes_leaves_room) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec("pragma journal_mode=wal; pragma synchronous=normal; create table t(x)");
    child_process rival([&](child_channel& parent) {
        const auto other = open_stock(path);
        other->exec("pragma busy_timeout=20000; insert into t values(1)");
        parent.signal();
        static_cast<void>(parent.wait());
        return std::string("done");
    });
    ASSERT_TRUE(rival.wait());
    constexpr int commits_max = 100'000;
    int commits = 0;
    while (pauses_of(*db) == 0 && ++commits < commits_max) db->exec("insert into t values(2)");
    const auto beside = pauses_of(*db);
    rival.signal();
    EXPECT_EQ(rival.join().answer, "done");

    EXPECT_GT(beside, 0U);
}

}  // namespace
