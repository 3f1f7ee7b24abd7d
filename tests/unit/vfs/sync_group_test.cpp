// Commits that wait for the disk together, over a sync that the test holds, counts and fails.
#include "vfs/sync_group.hpp"

#include "support/delays.hpp"
#include "support/latch_gate.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::vfs::sync_group;
namespace os = skiff::vfs::os;

/// The disk: syncs stop at `gate` when there is one, and fail with `error`.
struct fake_disk {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::atomic<int> error{0};
    std::atomic<latch_gate*> gate{nullptr};
};
fake_disk* disk = nullptr;

int sync_on_fake(int) noexcept {
    disk->begun.fetch_add(1);
    if (auto* gate = disk->gate.load()) gate->pass();
    const int error = disk->error.load();
    disk->ended.fetch_add(1);
    return error;
}

class SyncGroup : public testing::Test {
  protected:
    SyncGroup() { disk = &fake; }
    ~SyncGroup() override { join_all(); }

    /// A commit in a thread of its own.
    struct commit {
        std::atomic<bool> done{false};
        int error = -1;
    };
    commit& start(sync_group::ticket mine) {
        commits.push_back(std::make_unique<commit>());
        commit& made = *commits.back();
        threads.emplace_back([this, mine, &made] {
            made.error = group.wait(mine, -1);
            made.done = true;
        });
        return made;
    }
    void wait_for_syncs(int begun) {
        wait_until([&] { return fake.begun >= begun; }, "a sync to begin");
    }
    void join_all() {
        for (auto& each : threads) each.join();
        threads.clear();
    }

    fake_disk fake;
    sync_group group{sync_on_fake};
    std::vector<std::unique_ptr<commit>> commits;
    std::vector<std::thread> threads;
};

TEST_F(SyncGroup, b25_lone_commit_is_synced_at_once_by_itself) {
    EXPECT_EQ(group.wait(group.take(), -1), 0);
    EXPECT_EQ(group.wait(group.take(), -1), 0);

    EXPECT_EQ(fake.begun, 2);
    EXPECT_EQ(group.syncs(), 2U);
    EXPECT_EQ(group.newest().number, 2U);
}

TEST_F(SyncGroup, sync_covers_all_tickets_taken_before_it_began) {
    const auto first = group.take();
    const auto second = group.take();
    const auto third = group.take();

    EXPECT_EQ(group.wait(second, -1), 0);
    EXPECT_EQ(group.wait(first, -1), 0);
    EXPECT_EQ(group.wait(third, -1), 0);

    EXPECT_EQ(fake.begun, 1);
}

//   leader             late comer
//   sync begins
//                      writes, takes a ticket, waits
//   sync ends, returns
//                      syncs itself, returns
TEST_F(SyncGroup, b6_ticket_taken_while_a_sync_runs_waits_for_the_next) {
    latch_gate gate;
    fake.gate = &gate;
    const auto& leader = start(group.take());
    wait_for_syncs(1);
    latch_gate second_gate;
    const auto& late = start(group.take());
    fake.gate = &second_gate;

    gate.open();
    second_gate.wait_for_visitor();

    wait_until([&] { return leader.done.load(); }, "the leader");
    EXPECT_FALSE(late.done);
    EXPECT_EQ(fake.begun, 2);
    second_gate.open();
    join_all();
    EXPECT_EQ(leader.error, 0);
    EXPECT_EQ(late.error, 0);
}

TEST_F(SyncGroup, b6_late_comers_share_the_next_sync) {
    latch_gate gate;
    fake.gate = &gate;
    start(group.take());
    wait_for_syncs(1);
    fake.gate = nullptr;
    for (int late = 0; late < 6; ++late) start(group.take());

    gate.open();
    join_all();

    for (const auto& each : commits) EXPECT_EQ(each->error, 0);
    EXPECT_GE(fake.begun, 2);
    EXPECT_LE(fake.begun, 3);  // who had not come to wait yet may lead one more
}

TEST_F(SyncGroup, b10_error_wakes_all_that_wait_with_it) {
    latch_gate gate;
    fake.gate = &gate;
    fake.error = EIO;
    start(group.take());
    wait_for_syncs(1);
    for (int late = 0; late < 4; ++late) start(group.take());

    gate.open();
    join_all();

    for (const auto& each : commits) EXPECT_EQ(each->error, EIO);
    EXPECT_EQ(fake.begun, 1);  // rule B20: never again
    EXPECT_EQ(group.poisoned_by(), EIO);
    EXPECT_EQ(group.syncs(), 0U);
}

TEST_F(SyncGroup, b18_error_is_sticky_and_what_was_durable_stays_so) {
    const auto before = group.take();
    ASSERT_EQ(group.wait(before, -1), 0);
    fake.error = ENOSPC;
    ASSERT_EQ(group.wait(group.take(), -1), ENOSPC);
    fake.error = 0;

    EXPECT_EQ(group.wait(group.take(), -1), ENOSPC);
    EXPECT_EQ(group.wait(before, -1), 0);
    EXPECT_EQ(fake.begun, 2);
}

TEST_F(SyncGroup, b18_poisoned_from_outside_fails_all_tickets_but_keeps_the_first_error) {
    const auto mine = group.take();
    group.poison(EIO);
    group.poison(ENOSPC);

    EXPECT_EQ(group.wait(mine, -1), EIO);
    EXPECT_EQ(group.poisoned_by(), EIO);
    EXPECT_EQ(fake.begun, 0);
}

//   leader             checkpointer
//   sync begins
//                      its own sync fails: poison
//   sync ends well, but the error may have been the leader's
TEST_F(SyncGroup, b18_poison_while_a_sync_runs_fails_its_tickets) {
    latch_gate gate;
    fake.gate = &gate;
    const auto& leader = start(group.take());
    wait_for_syncs(1);

    group.poison(EIO);
    gate.open();
    join_all();

    EXPECT_EQ(leader.error, EIO);
    EXPECT_EQ(group.syncs(), 0U);
}

TEST_F(SyncGroup, b18_sync_that_fails_after_poison_keeps_the_first_error) {
    latch_gate gate;
    fake.gate = &gate;
    fake.error = ENOSPC;
    start(group.take());
    wait_for_syncs(1);

    group.poison(EIO);
    gate.open();
    join_all();

    EXPECT_EQ(group.poisoned_by(), EIO);
}

TEST(SyncGroupOnDisk, commits_on_a_real_file_are_synced_through_its_descriptor) {
    const temp_dir folder;
    const auto opened = os::open_file((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(opened.fd, 0);
    sync_group group;

    ASSERT_EQ(os::write_at(opened.fd, "frame", 5, 0), 0);
    EXPECT_EQ(group.wait(group.take(), opened.fd), 0);
    EXPECT_EQ(group.wait(group.take(), -1), EBADF);

    EXPECT_EQ(group.syncs(), 1U);
    EXPECT_EQ(group.poisoned_by(), EBADF);
    os::close_file(opened.fd);
}

/// A log under a mutex, as the WRITE lock is: what a sync found written is durable when it ends.
struct fake_log {
    std::mutex writing;
    std::atomic<std::uint64_t> written{0};
    std::atomic<std::uint64_t> durable{0};
    std::atomic<int> fails_after{0};  ///< syncs until one fails, 0 for never
};
fake_log* log_on_disk = nullptr;

int sync_log(int) noexcept {
    const auto found = log_on_disk->written.load();
    std::this_thread::yield();
    if (log_on_disk->fails_after > 0 && log_on_disk->fails_after.fetch_sub(1) == 1) return EIO;
    log_on_disk->durable.store(found);
    return 0;
}

/// Each thread writes, takes a ticket under the lock, waits, and then looks at the disk.
void storm(sync_group& group, fake_log& log, std::atomic<int>& lost, std::atomic<int>& errors) {
    const int rounds = count_from("SKIFF_SYNC_ROUNDS", 500);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 12; ++thread) {
        threads.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                std::uint64_t mine = 0;
                sync_group::ticket ticket = 0;
                {
                    const std::lock_guard lock(log.writing);
                    mine = log.written.fetch_add(1) + 1;
                    ticket = group.take();
                }
                if (group.wait(ticket, -1) != 0) {
                    ++errors;
                } else if (log.durable.load() < mine) {
                    ++lost;
                }
            }
        });
    }
    for (auto& each : threads) each.join();
}

TEST(SyncGroupStorm, b6_no_commit_returns_before_it_is_durable) {
    fake_log log;
    log_on_disk = &log;
    sync_group group(sync_log);
    std::atomic<int> lost{0};
    std::atomic<int> errors{0};

    storm(group, log, lost, errors);

    EXPECT_EQ(lost, 0);
    EXPECT_EQ(errors, 0);
    EXPECT_EQ(group.newest().number, log.written.load());
    EXPECT_LE(group.syncs(), group.newest().number);
}

TEST(SyncGroupStorm, t11_threads_held_up_between_any_two_steps_lose_no_commit) {
    fake_log log;
    log_on_disk = &log;
    sync_group group(sync_log);
    std::atomic<int> lost{0};
    std::atomic<int> errors{0};
    const delays held_up(test_seed(), std::chrono::microseconds(500));

    storm(group, log, lost, errors);

    EXPECT_EQ(lost, 0);
    EXPECT_EQ(errors, 0);
    using enum skiff::delay_point;
    EXPECT_EQ(delays::not_passed(sync_leads, sync_wakes), 0);
}

TEST(SyncGroupStorm, b18_no_commit_is_acknowledged_after_the_first_error) {
    fake_log log;
    log_on_disk = &log;
    log.fails_after = 20;
    sync_group group(sync_log);
    std::atomic<int> lost{0};
    std::atomic<int> errors{0};

    storm(group, log, lost, errors);

    EXPECT_EQ(lost, 0);
    EXPECT_EQ(group.syncs(), 19U);
    EXPECT_GT(errors, 0);
    EXPECT_EQ(group.poisoned_by(), EIO);
}

}  // namespace
