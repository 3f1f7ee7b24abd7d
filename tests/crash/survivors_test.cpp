// Three processes write to one file; one of them is killed again and again while the others go on,
// so that nobody runs a recovery: its locks must go, its half-done transaction must vanish, and the
// others must neither stop nor lose anything.
#include "support/crash_child.hpp"
#include "support/oracle.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using clock = std::chrono::steady_clock;

constexpr std::size_t processes = 3;
/// No call of a survivor takes longer, however loaded the machine is.
constexpr auto patience = 20s;

/// The processes and what their clients told.
class crowd {
  public:
    explicit crowd(std::uint64_t seed) : random_(seed) {
        auto db = database::open(path());
        prefix_oracle::make_schema(db);
        db.close();
        for (std::size_t i = 0; i < processes; ++i) children_.push_back(make_child());
    }

    /// Lets all of them write for a moment, one of them now and then frozen where it stands.
    void live() {
        const auto end = clock::now() + std::chrono::milliseconds(1 + random_.below(60));
        const auto& stopped = children_[static_cast<std::size_t>(random_.below(processes))];
        const bool freezes = random_.once_in(2);
        if (freezes) stopped.freeze();
        for (auto& each : children_) each.listen(end, hear_);
        if (freezes) stopped.thaw();
        hear_all();
    }
    /// Kills one and starts another in its place; true when it was the kill that ended it.
    bool kill_one() {
        const auto chosen = static_cast<std::size_t>(random_.below(processes));
        const bool killed = children_[chosen].kill(hear_);
        hear_all();
        for (std::size_t i = 0; i < processes; ++i) {
            if (i == chosen) continue;
            EXPECT_TRUE(children_[i].listen_for_progress(patience, hear_)) << "survivor " << i;
        }
        check();
        children_[chosen] = make_child();
        return killed;
    }
    /// The content as it is now, with the others writing on.
    void check() {
        auto db = database::open(path(), {.busy_timeout = 30s});
        for (const auto& each : oracle_.check(db)) ADD_FAILURE() << each;
    }
    void end_all() {
        for (auto& each : children_) EXPECT_TRUE(each.kill(hear_));
        check();
        for (const auto& each : prefix_oracle::check_structure(path())) ADD_FAILURE() << each;
    }
    [[nodiscard]] std::size_t acknowledged() const { return oracle_.acknowledged(); }

  private:
    /// Hears what has been said until now.
    void hear_all() {
        for (auto& each : children_) each.listen(clock::now() + 1ms, hear_);
    }
    [[nodiscard]] std::filesystem::path path() const { return folder_ / "shared.db"; }
    crash_child make_child() {
        const int writers = 1 + random_.below(6);
        crash_child made({.path = path(),
                          .writers = writers,
                          .first_client = next_client_,
                          .seed = random_.bits()});
        next_client_ += writers;
        return made;
    }

    temp_dir folder_;
    random_numbers random_;
    prefix_oracle oracle_;
    crash_child::listener hear_ = [this](const attempt& told) { oracle_.heard(told); };
    std::int32_t next_client_ = 1;
    std::vector<crash_child> children_;
};

TEST(CrashSurvivors, go_on_without_recovery_and_lose_nothing) {
    crowd all(test_seed());
    const int kills = count_from("SKIFF_KILLS", 200) / 4;

    for (int i = 0; i < kills; ++i) {
        all.live();
        ASSERT_TRUE(all.kill_one()) << "kill " << i << ": it had ended by itself";
        ASSERT_FALSE(testing::Test::HasFailure()) << "after kill " << i;
    }
    all.end_all();

    std::cout << kills << " kills, " << all.acknowledged() << " acknowledged transactions\n";
    EXPECT_GT(all.acknowledged(), static_cast<std::size_t>(kills));
}

}  // namespace
