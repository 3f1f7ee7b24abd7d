// The table of WAL locks beside a simple model that knows nothing of leases, alone mode or kernel:
// what is granted and what is refused must be the same.
#pragma once

#include "support/seed.hpp"
#include "unit/vfs/slot_fixture.hpp"
#include "vfs/slot_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace skiff_test {

using skiff::vfs::slot_count;
using skiff::vfs::slot_table;

struct byte_range {
    int first;
    int count;
};
/// What SQLite asks for exclusively: single locks, WRITE with CKPT, recovery's, READ1 to READ4.
inline constexpr std::array<byte_range, 12> exclusive_ranges{{{0, 1},
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

/// The table and the model side by side, over a fake kernel or one that asks the real one. One
/// thread at a time.
template <class Host>
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

    Host host;
    slot_table table{host, true};
    std::vector<std::unique_ptr<slot_user>> users;
    lock_model model;
};

}  // namespace skiff_test
