// T10: our processes and stock ones on one file, which freeze at any moment. T11: the same with
// delays in our system calls. SKIFF_TORTURE_MS sets how long; tools/torture locks runs longer.
#include "crash/lock_torture.hpp"

#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace skiff_test;
using clock = std::chrono::steady_clock;

class LockTorture : public testing::Test {
  protected:
    LockTorture() { make_torture_tables(path); }

    void start(const std::string& vfs, bool changes_modes, bool delays) {
        const torture_plan plan{
            .path = path,
            .vfs = vfs,
            .process = static_cast<int>(children.size()) + 1,
            .seed = random.bits() % 1'000'000'000,
            .until = until,
            .changes_modes = changes_modes,
            .delays = delays ? 1U + static_cast<unsigned>(random.below(1 << 20)) : 0U};
        children.emplace_back([plan](child_channel&) { return torture(plan); });
    }
    void start_python() {
        const int client = static_cast<int>(children.size()) * 100 + 100;
        const std::vector<std::string> arguments = {path.string(), std::to_string(client),
                                                    std::to_string(milliseconds),
                                                    std::to_string(random.below(1 << 30))};
        children.emplace_back([arguments](child_channel&) {
            ::execlp("python3", "python3", "-c", python_client, arguments[0].c_str(),
                     arguments[1].c_str(), arguments[2].c_str(), arguments[3].c_str(), nullptr);
            return std::string("no python3\n");
        });
    }
    /// Freezes now one, now another for 1 to 50 ms until the end, and then judges.
    void freeze_and_judge() {
        while (clock::now() < until) {
            const auto chosen =
                static_cast<std::size_t>(random.below(static_cast<int>(children.size())));
            children[chosen].freeze();
            ::poll(nullptr, 0, 1 + random.below(50));
            children[chosen].thaw();
            ::poll(nullptr, 0, 1 + random.below(50));
        }
        for (auto& each : children) {
            const auto ended = each.join();
            EXPECT_EQ(ended.answer, "");
            EXPECT_EQ(ended.signal, 0);
            EXPECT_EQ(ended.exit_code, 0);
        }
        EXPECT_EQ(torture_verdict(path), "");
        std::cout << number_in(path, "select count(*) from log") << " transactions\n";
    }

    temp_dir folder = temp_dir::in_memory();
    const std::filesystem::path path = folder / "a.db";
    random_numbers random{test_seed()};
    const int milliseconds = count_from("SKIFF_TORTURE_MS", 2000);
    const clock::time_point until = clock::now() + std::chrono::milliseconds(milliseconds);
    std::vector<child_process> children;
};

TEST_F(LockTorture, t10_processes_of_both_kinds_in_every_mode_lose_nothing) {
    for (const auto* vfs : {"skiff", "unix", "skiff", "unix"}) start(vfs, true, false);

    freeze_and_judge();
}

TEST_F(LockTorture, t10_old_sqlite_beside_ours_loses_nothing) {
    const auto tried = run_in_child([] {
        ::execlp("python3", "python3", "-c", "import sqlite3", nullptr);
        return std::string("none");
    });
    if (tried.exit_code != 0 || !tried.answer.empty()) GTEST_SKIP() << "no Python with sqlite3";
    for (const auto* vfs : {"skiff", "skiff"}) start(vfs, false, false);
    start_python();
    start_python();

    freeze_and_judge();
}

TEST_F(LockTorture, t11_delays_at_calls_and_between_them_change_nothing) {
    start("skiff", true, true);
    start("unix", true, false);
    start("skiff", true, true);

    freeze_and_judge();
}

}  // namespace
