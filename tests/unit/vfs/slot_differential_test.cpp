// The table of WAL locks under random use, compared with a simple model, over a fake kernel that
// notes every weak moment, and over the real one.
#include "unit/vfs/slot_differential.hpp"

#include "support/temp_dir.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <mutex>

namespace {

using namespace skiff_test;
namespace os = skiff::vfs::os;

/// What the fake says, and the locks of a real file beside it: at each call both must agree on the
/// answer, and the kernel must hold what was asked for and nothing else (I5).
class real_slot_host final : public fake_slot_host {
  public:
    int lock_slots(lock_kind kind, int first, int count) noexcept override {
        const int expected = fake_slot_host::lock_slots(kind, first, count);
        if (expected == unlock_error.load() && expected != 0) return expected;
        const int found = os::lock_range(ours_, kind, first, count);
        EXPECT_EQ(found, expected) << "of byte " << first;
        EXPECT_EQ(state_in_kernel(), kernel_state());
        ++compared_;
        return found;
    }
    bool take_elsewhere(lock_kind kind, int first, int count) {
        const bool expected = fake_slot_host::take_elsewhere(kind, first, count);
        EXPECT_EQ(os::lock_range(theirs_, kind, first, count) == 0, expected);
        return expected;
    }
    void release_elsewhere(int first, int count) {
        fake_slot_host::release_elsewhere(first, count);
        EXPECT_EQ(os::lock_range(theirs_, lock_kind::none, first, count), 0);
    }
    ~real_slot_host() override {
        os::close_file(theirs_);
        os::close_file(ours_);
        EXPECT_GT(compared_, 0);
    }

  private:
    [[nodiscard]] std::string state_in_kernel() const {
        std::string state;
        for (int slot = 0; slot < slot_count; ++slot) {
            const int held = os::lock_held_by_others(theirs_, slot, 1);  // by all but them: by us
            EXPECT_GE(held, 0);
            state += held == static_cast<int>(lock_kind::exclusive) ? 'w'
                     : held == static_cast<int>(lock_kind::shared)  ? 'r'
                                                                    : '-';
        }
        return state;
    }

    temp_dir folder_ = temp_dir::in_memory();
    int ours_ = os::open_file((folder_ / "locks").c_str(), O_RDWR | O_CREAT, 0600).fd;
    int theirs_ = os::open_file((folder_ / "locks").c_str(), O_RDWR, 0600).fd;
    int compared_ = 0;
};

template <class Host>
int random_lives(int count, int steps) {
    random_numbers random(test_seed());
    int alone = 0;
    // A table that met another process is not alone again for a while, so many short lives.
    for (int life = 0; life < count && !testing::Test::HasFatalFailure(); ++life) {
        slot_differential<Host> both;
        both.run(random, steps);
        alone += both.was_alone() ? 1 : 0;
    }
    return alone;
}

TEST(SlotDifferential, a3_random_use_equals_a_simple_model) {
    const int lives = count_from("SKIFF_SLOT_TABLES", 40);

    const int alone = random_lives<fake_slot_host>(lives, 1500);

    EXPECT_GT(alone, lives / 4);
}

TEST(SlotDifferential, i5_kernel_holds_what_the_table_says_at_every_call) {
    const int lives = count_from("SKIFF_SLOT_TABLES", 40) / 4;

    const int alone = random_lives<real_slot_host>(lives, 1500);

    EXPECT_GT(alone, lives / 4);
}

}  // namespace
