// SIGKILL at any moment: a process with 1 to 16 writers is killed 1 to 300 ms after its start, or
// at a system call of its own, the file is opened by plain SQLite or by Skiff first, checked, and
// used on. SKIFF_SEED repeats a run, SKIFF_KILLS sets the number of kills; tools/torture runs
// longer ones.
#include "crash/attacked_os.hpp"
#include "support/crash_child.hpp"
#include "support/oracle.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::database;
using clock = std::chrono::steady_clock;

/// Kills on one file before a new one is made.
constexpr int lives_of_a_file = 50;

/// A file that processes die over, and what their clients heard.
struct tortured_file {
    tortured_file() {
        auto db = database::open(path());
        prefix_oracle::make_schema(db);
    }
    [[nodiscard]] std::filesystem::path path() const { return folder / "torture.db"; }

    temp_dir folder;
    prefix_oracle oracle;
    std::int32_t clients = 1;
};

/// The SQL of a trap in the schema: then callers are kept apart by rule D7.
void set_trap(const tortured_file& file) {
    auto db = database::open(file.path());
    db.exec(
        "create trigger trap before insert on noise when new.id = -1 begin "
        "select raise(rollback, 'never'); end");
}

/// Every third process ends itself, at a system call of the VFS: before a write, a sync, the change
/// of a lock.
std::function<void()> choose_kill_point(random_numbers& random) {
    if (!random.once_in(3)) return {};
    constexpr std::array calls = {os_call::open,   os_call::read,   os_call::write,
                                  os_call::write,  os_call::sync,   os_call::truncate,
                                  os_call::lock,   os_call::unlock, os_call::map,
                                  os_call::status, os_call::any,    os_call::unlink};
    const os_attack_plan plan{.call = calls[static_cast<std::size_t>(random.below(calls.size()))],
                              .effect = os_effect::kill,
                              .nth = 1 + random.below(1 + random.below(400))};
    return [plan] {
        static const os_attack attack(plan);  // until the end of the process
    };
}

/// One life and death of a process; true when it was the kill that ended it.
bool live_and_die(tortured_file& file, random_numbers& random) {
    const int writers = 1 + random.below(16);
    // Short lives are the more frequent ones: start and recovery are where much happens.
    const std::chrono::milliseconds life(1 + random.below(1 + random.below(300)));
    const auto end = clock::now() + life;
    crash_child child({.path = file.path(),
                       .writers = writers,
                       .first_client = file.clients,
                       .seed = random.bits(),
                       .before_work = choose_kill_point(random)});
    file.clients += writers;
    const auto hear = [&file](const attempt& told) { file.oracle.heard(told); };
    child.listen(end, hear);
    return child.kill(hear);
}

/// Opens what is left, plain SQLite or Skiff first, and returns all that is wrong.
std::vector<std::string> autopsy(const tortured_file& file, bool stock_first) {
    std::vector<std::string> wrong;
    if (stock_first) wrong = prefix_oracle::check_structure(file.path());
    {
        auto db = database::open(file.path());
        const auto content = file.oracle.check(db);
        wrong.insert(wrong.end(), content.begin(), content.end());
    }
    if (!stock_first) {
        const auto structure = prefix_oracle::check_structure(file.path());
        wrong.insert(wrong.end(), structure.begin(), structure.end());
    }
    return wrong;
}

TEST(CrashKill, acknowledged_transactions_survive_and_refused_ones_never_appear) {
    random_numbers random(test_seed());
    const int kills = count_from("SKIFF_KILLS", 200);
    std::size_t acknowledged = 0;
    std::unique_ptr<tortured_file> file;

    for (int i = 0; i < kills; ++i) {
        if (i % lives_of_a_file == 0) {
            if (file) acknowledged += file->oracle.acknowledged();
            file = std::make_unique<tortured_file>();
            if (random.once_in(4)) set_trap(*file);
        }
        ASSERT_TRUE(live_and_die(*file, random)) << "kill " << i << ": it ended by itself";
        const auto wrong = autopsy(*file, random.once_in(2));
        for (const auto& each : wrong) ADD_FAILURE() << "after kill " << i << ": " << each;
        if (!wrong.empty()) return;
    }
    acknowledged += file->oracle.acknowledged();

    std::cout << kills << " kills, " << acknowledged << " acknowledged transactions\n";
    EXPECT_GT(acknowledged, static_cast<std::size_t>(kills));
}

}  // namespace
