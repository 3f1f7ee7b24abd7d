// Connections of a slot table over the fake kernel, which is told what they use.
#pragma once

#include "support/latch_gate.hpp"
#include "unit/vfs/fake_slot_host.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace skiff_test {

/// One connection's locks. One thread at a time.
class slot_user {
  public:
    slot_user(skiff::vfs::slot_table& table, fake_slot_host& host)
        : table_(table), host_(host), owner_(*table.attach()) {}
    slot_user(const slot_user&) = delete;
    slot_user& operator=(const slot_user&) = delete;
    ~slot_user() { table_.detach(owner_); }

    int share(int slot) {
        const int code = table_.lock_shared(owner_, slot);
        if (code == SQLITE_OK) host_.begin_use(lock_kind::shared, slot, 1);
        return code;
    }
    void unshare(int slot) {
        host_.end_use(lock_kind::shared, slot, 1);
        table_.unlock_shared(owner_, slot);
    }
    int exclude(int first, int count = 1) {
        const int code = table_.lock_exclusive(owner_, first, count);
        if (code == SQLITE_OK) host_.begin_use(lock_kind::exclusive, first, count);
        return code;
    }
    int unexclude(int first, int count = 1) {
        host_.end_use(lock_kind::exclusive, first, count);
        return table_.unlock_exclusive(owner_, first, count);
    }
    void share_once(int slot) {
        if (share(slot) == SQLITE_OK) unshare(slot);
    }

  private:
    skiff::vfs::slot_table& table_;
    fake_slot_host& host_;
    skiff::vfs::slot_owner& owner_;
};

/// A table with two connections.
class SlotFixture : public testing::Test {
  protected:
    ~SlotFixture() override { EXPECT_EQ(host.faults(), std::vector<std::string>{}); }

    /// Uses a slot until one kernel lock stands for all.
    void become_alone() {
        wait_until(
            [&] {
                one.share_once(skiff::vfs::first_read_slot);
                return table.is_alone();
            },
            "alone mode");
    }
    /// As often as would be enough, with time between for a refusal to be forgotten.
    void try_to_become_alone() {
        for (int call = 0; call < 100; ++call) one.share_once(skiff::vfs::first_read_slot);
    }

    fake_slot_host host;
    skiff::vfs::slot_table table{host, true};
    slot_user one{table, host};
    slot_user two{table, host};
};

}  // namespace skiff_test
