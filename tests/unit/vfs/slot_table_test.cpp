// The table of WAL locks over a fake kernel: who may have what, and what the kernel is told of it.
// Alone mode is in slot_alone_test.cpp, random and concurrent use in slot_storm_test.cpp.
#include "vfs/slot_table.hpp"

#include "unit/vfs/slot_fixture.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace {

using namespace skiff_test;
using namespace skiff::vfs;

constexpr int read0 = first_read_slot;
constexpr int read1 = first_read_slot + 1;
constexpr int read2 = first_read_slot + 2;
constexpr int read3 = first_read_slot + 3;

using SlotTable = SlotFixture;

TEST_F(SlotTable, shared_by_two_connections_is_one_kernel_lock) {
    EXPECT_EQ(one.share(read1), SQLITE_OK);
    EXPECT_EQ(two.share(read1), SQLITE_OK);

    EXPECT_EQ(host.calls().size(), 1U);
    EXPECT_EQ(host.kernel_state(), "----r---");
    one.unshare(read1);
    EXPECT_EQ(host.kernel_state(), "----r---");
    two.unshare(read1);
    EXPECT_EQ(host.kernel_state(), "--------");
}

/// A byte of READ0 that stays locked would keep other processes from all checkpoints.
TEST_F(SlotTable, a6_read0_is_unlocked_with_its_last_reader) {
    ASSERT_EQ(one.share(read0), SQLITE_OK);
    ASSERT_EQ(two.share(read0), SQLITE_OK);

    one.unshare(read0);
    EXPECT_EQ(host.kernel_state(), "---r----");
    two.unshare(read0);

    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_FALSE(host.ticks_wanted);
}

TEST_F(SlotTable, shared_again_by_the_same_connection_is_granted_once) {
    EXPECT_EQ(one.share(read1), SQLITE_OK);
    const auto calls = host.calls().size();

    EXPECT_EQ(one.share(read1), SQLITE_OK);

    EXPECT_EQ(host.calls().size(), calls);
    host.end_use(lock_kind::shared, read1, 1);
    one.unshare(read1);
    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, a3_exclusive_range_with_a_slot_shared_here_is_busy) {
    ASSERT_EQ(one.share(read3), SQLITE_OK);

    EXPECT_EQ(two.exclude(read1, 4), SQLITE_BUSY);

    EXPECT_EQ(host.kernel_state(), "------r-");
    EXPECT_EQ(two.exclude(read1, 2), SQLITE_OK);
    EXPECT_EQ(host.kernel_state(), "----wwr-");
}

TEST_F(SlotTable, a3_exclusive_range_with_a_slot_exclusive_here_is_busy) {
    ASSERT_EQ(one.exclude(read2), SQLITE_OK);

    EXPECT_EQ(two.exclude(read1, 4), SQLITE_BUSY);
    EXPECT_EQ(two.exclude(read2), SQLITE_BUSY);

    EXPECT_EQ(one.unexclude(read2), SQLITE_OK);
    EXPECT_EQ(two.exclude(read1, 4), SQLITE_OK);
}

TEST_F(SlotTable, t6_exclusive_lock_that_the_kernel_would_not_unlock_is_unlocked_by_the_timer) {
    ASSERT_EQ(one.exclude(write_slot), SQLITE_OK);
    host.unlock_error = ENOLCK;
    EXPECT_EQ(one.unexclude(write_slot), SQLITE_IOERR_SHMLOCK);
    ASSERT_EQ(host.kernel_state(), "w-------");
    host.unlock_error = 0;

    EXPECT_TRUE(host.ticks_wanted);
    table.tick();

    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, t6_shared_lock_that_the_kernel_would_not_unlock_is_unlocked_by_the_timer) {
    ASSERT_EQ(one.share(read2), SQLITE_OK);
    host.unlock_error = ENOLCK;
    one.unshare(read2);
    host.unlock_error = 0;

    EXPECT_TRUE(host.ticks_wanted);
    table.tick();

    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, a3_leftover_of_a_reader_never_makes_exclusive_fail) {
    ASSERT_EQ(one.share(read2), SQLITE_OK);
    host.unlock_error = ENOLCK;
    one.unshare(read2);
    ASSERT_EQ(host.kernel_state(), "-----r--");
    host.unlock_error = 0;

    EXPECT_EQ(two.exclude(read1, 4), SQLITE_OK);

    EXPECT_EQ(host.kernel_state(), "----wwww");
    EXPECT_EQ(two.unexclude(read1, 4), SQLITE_OK);
    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, shared_while_exclusive_here_is_busy_and_leaves_no_trace) {
    ASSERT_EQ(one.exclude(read1), SQLITE_OK);

    EXPECT_EQ(two.share(read1), SQLITE_BUSY);

    EXPECT_EQ(one.unexclude(read1), SQLITE_OK);
    EXPECT_EQ(one.exclude(read1), SQLITE_OK);
    EXPECT_EQ(two.share(read0), SQLITE_OK);
}

TEST_F(SlotTable, recover_lock_shared_while_exclusive_here_is_busy) {
    for (const int slot : {write_slot, checkpoint_slot, recover_slot}) {
        ASSERT_EQ(one.exclude(slot), SQLITE_OK);
        EXPECT_EQ(two.share(slot), SQLITE_BUSY);
        EXPECT_EQ(one.unexclude(slot), SQLITE_OK);

        EXPECT_EQ(two.share(slot), SQLITE_OK);
        EXPECT_EQ(one.exclude(slot), SQLITE_BUSY);
        two.unshare(slot);
    }
    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, a12_lock_of_another_process_is_respected_and_leaves_no_trace) {
    ASSERT_TRUE(host.take_elsewhere(lock_kind::exclusive, read1, 1));
    ASSERT_TRUE(host.take_elsewhere(lock_kind::shared, read2, 1));

    EXPECT_EQ(one.share(read1), SQLITE_BUSY);
    EXPECT_EQ(one.share(read2), SQLITE_OK);
    one.unshare(read2);
    EXPECT_EQ(one.exclude(read1, 4), SQLITE_BUSY);
    EXPECT_EQ(host.kernel_state(), "--------");

    host.release_elsewhere(read1, 2);
    EXPECT_EQ(two.exclude(read1, 4), SQLITE_OK);
}

TEST_F(SlotTable, exclusive_refused_by_another_process_keeps_leftovers_known) {
    ASSERT_EQ(one.share(read2), SQLITE_OK);
    host.unlock_error = ENOLCK;
    one.unshare(read2);
    host.unlock_error = 0;
    ASSERT_TRUE(host.take_elsewhere(lock_kind::shared, read3, 1));

    EXPECT_EQ(two.exclude(read1, 4), SQLITE_BUSY);

    EXPECT_EQ(host.kernel_state(), "-----r--");
    static_cast<void>(table.tick());
    EXPECT_EQ(host.kernel_state(), "--------");
}

TEST_F(SlotTable, kernel_error_is_an_io_error_and_leaves_no_trace) {
    host.error = ENOLCK;
    EXPECT_EQ(one.share(read1), SQLITE_IOERR_SHMLOCK);
    EXPECT_EQ(one.exclude(write_slot), SQLITE_IOERR_SHMLOCK);

    host.error = 0;
    EXPECT_EQ(two.exclude(read1), SQLITE_OK);
    EXPECT_EQ(two.exclude(write_slot), SQLITE_OK);
}

TEST_F(SlotTable, detached_connection_has_given_everything_back) {
    {
        auto& owner = *table.attach();
        ASSERT_EQ(table.lock_shared(owner, read1), SQLITE_OK);
        ASSERT_EQ(table.lock_shared(owner, read2), SQLITE_OK);
        ASSERT_EQ(table.lock_exclusive(owner, write_slot, 2), SQLITE_OK);
        table.detach(owner);
    }

    EXPECT_EQ(host.kernel_state(), "--------");
    EXPECT_FALSE(table.is_held_exclusively(0xff));
    EXPECT_EQ(one.exclude(write_slot, 8), SQLITE_OK);
}

TEST_F(SlotTable, attached_connection_takes_the_place_of_a_detached_one) {
    auto& first = *table.attach();
    table.detach(first);

    auto& second = *table.attach();

    EXPECT_EQ(&first, &second);
    EXPECT_EQ(second.shared.load(), 0U);
    EXPECT_EQ(second.exclusive, 0U);
    table.detach(second);
}

TEST_F(SlotTable, exclusive_slots_are_known_by_their_mask) {
    ASSERT_EQ(one.exclude(checkpoint_slot), SQLITE_OK);

    EXPECT_TRUE(table.is_held_exclusively(checkpoint_bit));
    EXPECT_TRUE(table.is_held_exclusively(checkpoint_bit | write_bit));
    EXPECT_FALSE(table.is_held_exclusively(write_bit));
}

TEST_F(SlotTable, unlock_of_what_is_not_held_tells_the_kernel_nothing) {
    ASSERT_EQ(one.exclude(write_slot), SQLITE_OK);
    const auto calls = host.calls().size();

    EXPECT_EQ(table.unlock_exclusive(*table.attach(), write_slot, 1), SQLITE_OK);

    EXPECT_EQ(host.calls().size(), calls);
    EXPECT_EQ(host.kernel_state(), "w-------");
}

}  // namespace
