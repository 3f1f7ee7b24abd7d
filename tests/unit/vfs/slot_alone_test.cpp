// Alone mode of the table of WAL locks: when it begins, when it ends, and that ending it never
// leaves a byte unlocked that is in use (the fake kernel watches all the time).
#include "unit/vfs/slot_fixture.hpp"
#include "vfs/slot_table.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace {

using namespace skiff_test;
using namespace skiff::vfs;

constexpr int read0 = first_read_slot;
constexpr int read1 = first_read_slot + 1;
constexpr int read2 = first_read_slot + 2;
constexpr int few_calls = 7;

using SlotAlone = SlotFixture;

TEST_F(SlotAlone, e1_few_calls_do_not_begin_it) {
    for (int call = 0; call < few_calls; ++call) one.share_once(read1);

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_FALSE(host.ticks_wanted);
}

TEST_F(SlotAlone, e1_many_calls_begin_it_and_none_goes_to_the_kernel_then) {
    become_alone();
    EXPECT_TRUE(host.ticks_wanted);
    EXPECT_EQ(host.kernel_state(), "wwwwwwww");
    const auto calls = table.counters().kernel_calls.load();

    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(one.share(read1), SQLITE_OK);
        EXPECT_EQ(two.exclude(write_slot), SQLITE_OK);
        EXPECT_EQ(two.unexclude(write_slot), SQLITE_OK);
        one.unshare(read1);
    }

    EXPECT_EQ(table.counters().kernel_calls.load(), calls);
    EXPECT_EQ(table.counters().alone_begun.load(), 1U);
}

TEST_F(SlotAlone, e1_does_not_begin_while_another_process_is_attached) {
    host.others = true;

    try_to_become_alone();

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotAlone, e1_does_not_begin_when_the_kernel_refuses_the_whole_range) {
    ASSERT_TRUE(host.take_elsewhere(lock_kind::shared, read2, 1));
    ASSERT_EQ(two.share(read0), SQLITE_OK);

    try_to_become_alone();

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "---r----");
    two.unshare(read0);
}

TEST_F(SlotAlone, e6_does_not_begin_where_it_is_turned_off) {
    fake_slot_host kernel;
    slot_table never(kernel, false);
    slot_user user(never, kernel);

    for (int call = 0; call < 100; ++call) user.share_once(read1);

    EXPECT_FALSE(never.is_alone());
    EXPECT_EQ(kernel.kernel_state(), "--------");
}

TEST_F(SlotAlone, a3_locks_exclude_each_other_as_ever) {
    become_alone();
    ASSERT_EQ(one.share(read1), SQLITE_OK);

    EXPECT_EQ(two.exclude(read1, 4), SQLITE_BUSY);
    EXPECT_EQ(two.exclude(read2), SQLITE_OK);
    EXPECT_EQ(one.share(read2), SQLITE_BUSY);
    EXPECT_EQ(one.exclude(read2), SQLITE_BUSY);
    EXPECT_EQ(two.share(read1), SQLITE_OK);
    EXPECT_EQ(two.exclude(write_slot), SQLITE_OK);
    EXPECT_EQ(one.exclude(write_slot), SQLITE_BUSY);
    EXPECT_EQ(one.share(write_slot), SQLITE_BUSY);
}

TEST_F(SlotAlone, e2_tick_ends_it_when_another_process_attaches) {
    become_alone();
    host.others = true;
    EXPECT_FALSE(host.take_elsewhere(lock_kind::shared, read0, 1));

    EXPECT_TRUE(table.tick());

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_FALSE(table.tick());
    try_to_become_alone();
    EXPECT_FALSE(table.is_alone());
}

TEST_F(SlotAlone, e2_two_idle_ticks_end_it) {
    become_alone();
    one.share_once(read1);
    EXPECT_TRUE(table.tick());  // sees the use
    EXPECT_TRUE(table.tick());
    ASSERT_TRUE(table.is_alone());

    EXPECT_TRUE(table.tick());

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_EQ(table.counters().alone_ended.load(), 1U);
}

TEST_F(SlotAlone, e2_use_between_ticks_keeps_it) {
    become_alone();

    for (int round = 0; round < 20; ++round) {
        if (round % 2 == 0) one.share_once(read1);
        EXPECT_TRUE(table.tick());
    }

    EXPECT_TRUE(table.is_alone());
}

TEST_F(SlotAlone, e2_can_begin_again_after_an_idle_end) {
    become_alone();
    while (table.is_alone()) static_cast<void>(table.tick());
    host.ticks_wanted = false;

    become_alone();

    EXPECT_TRUE(host.ticks_wanted);
}

TEST_F(SlotAlone, e3_ending_keeps_what_is_used_as_it_is_used) {
    become_alone();
    ASSERT_EQ(one.share(read1), SQLITE_OK);
    ASSERT_EQ(two.share(read1), SQLITE_OK);
    ASSERT_EQ(two.exclude(write_slot, 2), SQLITE_OK);
    host.others = true;

    static_cast<void>(table.tick());

    EXPECT_EQ(host.kernel_state(), "ww--r---");
    EXPECT_EQ(host.kernel_state(), host.use_state());
    EXPECT_EQ(two.unexclude(write_slot, 2), SQLITE_OK);
    one.unshare(read1);
    EXPECT_EQ(host.kernel_state(), "----r---");
    two.unshare(read1);
    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_FALSE(table.tick());
}

TEST_F(SlotAlone, e3_beginning_and_ending_under_readers_and_a_writer_loses_nothing) {
    ASSERT_EQ(two.share(read2), SQLITE_OK);
    ASSERT_EQ(two.exclude(write_slot), SQLITE_OK);
    become_alone();
    EXPECT_EQ(host.kernel_state(), "wwwwwwww");

    table.forbid_alone();

    EXPECT_EQ(host.kernel_state(), "w----r--");
    EXPECT_EQ(one.exclude(read2), SQLITE_BUSY);
    EXPECT_EQ(one.exclude(write_slot), SQLITE_BUSY);
    EXPECT_FALSE(host.take_elsewhere(lock_kind::exclusive, read2, 1));
}

TEST_F(SlotAlone, e3_byte_that_cannot_be_unlocked_is_unlocked_by_a_later_tick) {
    become_alone();
    ASSERT_EQ(one.share(read1), SQLITE_OK);
    host.unlock_error = ENOLCK;
    table.forbid_alone();
    EXPECT_EQ(host.kernel_state(), "wwwwrwww");
    EXPECT_TRUE(table.tick());
    host.unlock_error = 0;

    EXPECT_TRUE(table.tick());

    EXPECT_EQ(host.kernel_state(), "----r---");
    EXPECT_EQ(two.exclude(write_slot), SQLITE_OK);
    one.unshare(read1);
    EXPECT_FALSE(table.tick());
}

TEST_F(SlotAlone, a4_leftover_of_a_reader_is_unlocked_by_tick) {
    ASSERT_EQ(one.share(read1), SQLITE_OK);
    host.unlock_error = ENOLCK;
    one.unshare(read1);
    host.unlock_error = 0;
    ASSERT_EQ(host.kernel_state(), "----r---");

    EXPECT_FALSE(table.tick());

    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotAlone, e2_without_a_timer_it_does_not_last_and_nothing_is_lost) {
    host.timer_works = false;
    ASSERT_EQ(two.share(read2), SQLITE_OK);
    ASSERT_EQ(two.exclude(checkpoint_slot), SQLITE_OK);

    try_to_become_alone();

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "-w---r--");
    EXPECT_EQ(one.exclude(read2), SQLITE_BUSY);
    EXPECT_LE(table.counters().alone_begun.load(), 1U);
}

TEST_F(SlotAlone, e2_exclusive_request_that_begins_it_without_a_timer_is_kept) {
    host.timer_works = false;

    for (int call = 0; call < 100; ++call) {
        ASSERT_EQ(one.exclude(read1, 4), SQLITE_OK);
        EXPECT_EQ(host.kernel_state(), "----wwww");
        ASSERT_EQ(one.unexclude(read1, 4), SQLITE_OK);
    }

    EXPECT_FALSE(table.is_alone());
    EXPECT_EQ(host.kernel_state(), "--------");
}

}  // namespace
