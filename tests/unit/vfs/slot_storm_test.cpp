// The table of WAL locks under random use, compared with a simple model, and under many threads.
#include "support/seed.hpp"
#include "unit/vfs/slot_fixture.hpp"
#include "vfs/slot_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace skiff::vfs;

struct byte_range {
    int first;
    int count;
};
/// What SQLite asks for exclusively: single locks, WRITE with CKPT, recovery's, READ1 to READ4.
constexpr std::array<byte_range, 12> exclusive_ranges{{{0, 1},
                                                       {1, 1},
                                                       {2, 1},
                                                       {3, 1},
                                                       {4, 1},
                                                       {5, 1},
                                                       {6, 1},
                                                       {7, 1},
                                                       {0, 2},
                                                       {1, 2},
                                                       {4, 4},
                                                       {3, 5}}};

/// Who has what: the model, without leases, alone mode or kernel.
struct lock_model {
    struct holder {
        std::array<bool, slot_count> shared{};
        std::array<bool, slot_count> exclusive{};
    };
    std::vector<holder> holders;
    std::array<lock_kind, slot_count> elsewhere{};

    [[nodiscard]] bool exclusive_here(int slot) const {
        for (const auto& each : holders) {
            if (each.exclusive[static_cast<std::size_t>(slot)]) return true;
        }
        return false;
    }
    [[nodiscard]] bool used_here(int slot) const {
        for (const auto& each : holders) {
            if (each.shared[static_cast<std::size_t>(slot)]) return true;
        }
        return exclusive_here(slot);
    }
    [[nodiscard]] bool may_share(int slot) const {
        return !exclusive_here(slot) &&
               elsewhere[static_cast<std::size_t>(slot)] != lock_kind::exclusive;
    }
    [[nodiscard]] bool may_exclude(byte_range range) const {
        for (int slot = range.first; slot < range.first + range.count; ++slot) {
            if (used_here(slot) || elsewhere[static_cast<std::size_t>(slot)] != lock_kind::none) {
                return false;
            }
        }
        return true;
    }
};

/// The table and the model side by side. One thread at a time.
class slot_differential {
  public:
    slot_differential() {
        for (int user = 0; user < users_count; ++user) {
            users.push_back(std::make_unique<slot_user>(table, host));
        }
        model.holders.resize(users_count);
    }

    void run(random_numbers& random, int steps) {
        for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
            do_something(random);
            if (random.once_in(300)) settle();
            ASSERT_EQ(host.faults(), std::vector<std::string>{}) << "step " << step;
        }
        EXPECT_EQ(table.counters().alone_begun.load(),
                  table.counters().alone_ended.load() + (table.is_alone() ? 1 : 0));
    }
    [[nodiscard]] bool was_alone() const { return table.counters().alone_begun.load() > 0; }

  private:
    static constexpr int users_count = 6;

    void share_or_unshare(std::size_t user, int slot) {
        auto& mine = model.holders[user];
        const auto at = static_cast<std::size_t>(slot);
        if (mine.exclusive[at]) return;  // SQLite never does
        if (mine.shared[at]) {
            users[user]->unshare(slot);
            mine.shared[at] = false;
            return;
        }
        const bool expected = model.may_share(slot);
        const int code = users[user]->share(slot);
        ASSERT_EQ(code, expected ? SQLITE_OK : SQLITE_BUSY) << "slot " << slot;
        mine.shared[at] = expected;
    }
    void exclude(std::size_t user, byte_range range) {
        auto& mine = model.holders[user];
        const bool expected = model.may_exclude(range);
        const int code = users[user]->exclude(range.first, range.count);
        ASSERT_EQ(code, expected ? SQLITE_OK : SQLITE_BUSY) << "slot " << range.first;
        for (int slot = range.first; expected && slot < range.first + range.count; ++slot) {
            mine.exclusive[static_cast<std::size_t>(slot)] = true;
        }
    }
    void unexclude_all(std::size_t user) {
        for (int slot = 0; slot < slot_count; ++slot) {
            auto& held = model.holders[user].exclusive[static_cast<std::size_t>(slot)];
            if (!held) continue;
            EXPECT_EQ(users[user]->unexclude(slot), SQLITE_OK);
            held = false;
        }
    }
    /// The other process attaches, locks or unlocks a byte, or leaves.
    void do_elsewhere(random_numbers& random) {
        const int slot = random.below(slot_count);
        auto& theirs = model.elsewhere[static_cast<std::size_t>(slot)];
        if (!host.others) {
            host.others = true;
        } else if (random.once_in(6)) {
            model.elsewhere.fill(lock_kind::none);
            host.release_elsewhere(0, slot_count);
            host.others = false;
        } else if (theirs != lock_kind::none) {
            host.release_elsewhere(slot, 1);
            theirs = lock_kind::none;
        } else {
            const auto kind = random.once_in(2) ? lock_kind::shared : lock_kind::exclusive;
            if (host.take_elsewhere(kind, slot, 1)) theirs = kind;
        }
    }
    void do_something(random_numbers& random) {
        const auto user = static_cast<std::size_t>(random.below(users_count));
        const int kind = random.below(100);
        host.unlock_error = random.once_in(10) ? ENOLCK : 0;
        if (kind < 60) {
            share_or_unshare(user, random.once_in(8) ? random.below(3) : 3 + random.below(5));
            return;
        }
        if (kind < 70) exclude(user, exclusive_ranges[static_cast<std::size_t>(random.below(12))]);
        host.unlock_error = 0;  // nobody unlocks again what was exclusive and could not be unlocked
        if (kind >= 70 && kind < 90) unexclude_all(user);
        if (kind >= 90 && kind < 95) static_cast<void>(table.tick());
        if (kind >= 95 && random.once_in(4)) do_elsewhere(random);
    }
    /// After another process came, only what is used here may be locked.
    void settle() {
        host.unlock_error = 0;
        const bool before = host.others.exchange(true);
        for (int tick = 0; tick < 3; ++tick) static_cast<void>(table.tick());
        EXPECT_EQ(host.kernel_state(), host.use_state());
        host.others = before;
    }

    fake_slot_host host;
    slot_table table{host, true};
    std::vector<std::unique_ptr<slot_user>> users;
    lock_model model;
};

TEST(SlotDifferential, a3_random_use_equals_a_simple_model) {
    random_numbers random(test_seed());
    const int tables = count_from("SKIFF_SLOT_TABLES", 40);
    int alone = 0;

    // A table that met another process is not alone again for a while, so many short lives.
    for (int life = 0; life < tables && !HasFatalFailure(); ++life) {
        slot_differential both;
        both.run(random, 1500);
        alone += both.was_alone() ? 1 : 0;
    }

    EXPECT_GT(alone, tables / 4);
}

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
    void be_the_timer() {
        while (running > 0) {
            static_cast<void>(table.tick());
            std::this_thread::yield();
        }
    }

    const int rounds = count_from("SKIFF_SLOT_ROUNDS", 4000);
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
