// T6: every system call of the VFS fails in turn, at the first, the second, the N-th time, once and
// from then on, until the script runs without meeting the fault. T9: the same while a log is
// recovered that a killed process left. ./test makes a sample of the N; tools/torture io-fault
// --nightly takes them all.
#include "crash/attacked_os.hpp"
#include "crash/io_fault_script.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <string>

namespace {

using namespace skiff_test;

struct scenario {
    const char* name;
    io_script run;
    bool after_a_kill;
};

constexpr scenario scenarios[] = {{"life", life_script, false},
                                  {"turns", turns_script, false},
                                  {"recovery", recover_script, true}};

class IoFault : public testing::TestWithParam<scenario> {
  protected:
    void SetUp() override {
        if (GetParam().after_a_kill) leave_by_kill(model);
        script_log warm_up;  // what is made once in a process is made now
        prepare();
        GetParam().run(path, warm_up, [] {});
        remove_database(path);
    }

    void prepare() const {
        if (!GetParam().after_a_kill) return;
        for (const auto* end : {"", "-wal"}) {
            std::filesystem::copy_file(model.string() + end, path.string() + end);
        }
    }

    /// One run with a fault; false when the script ended before it.
    bool run_with(const os_attack_plan& plan) {
        prepare();
        const int descriptors = open_descriptors();
        script_log log;
        log.locks_may_fail = plan.call == os_call::any || plan.call == os_call::lock;
        bool fired = false;
        {
            os_attack attack(plan);
            GetParam().run(path, log, [&attack] { attack.stop(); });
            fired = attack.fired();
        }
        EXPECT_EQ(open_descriptors(), descriptors) << "descriptors leaked";
        for (const auto& each : faults_left(path, log)) ADD_FAILURE() << each;
        if (!fired) {
            EXPECT_TRUE(log.codes.empty()) << "failed without a fault: " << log.codes.front();
        }
        remove_database(path);
        ++runs;
        return fired;
    }

    /// The N at which a kind is tried: all, or one in `stride` from a random one on.
    void fail_each(const os_fault_kind& kind, bool forever) {
        const int stride = count_from("SKIFF_FAULT_STRIDE", 9);
        for (int nth = 1 + random.below(stride);; nth += stride) {
            SCOPED_TRACE(std::string(kind.name) + (forever ? " for ever" : " once") + ", call " +
                         std::to_string(nth));
            const bool fired = run_with({kind.call, kind.effect, nth, kind.error, forever});
            if (!fired || HasFailure()) return;
        }
    }

    temp_dir folder = temp_dir::in_memory();
    const std::filesystem::path path = folder / "a.db";
    const std::filesystem::path model = folder / "model.db";
    random_numbers random{test_seed()};
    int runs = 0;
};

TEST_P(IoFault, t6_call_that_fails_once_is_told_and_loses_nothing) {
    for (const auto& kind : os_fault_kinds()) fail_each(kind, false);
    std::cout << runs << " runs\n";
}

TEST_P(IoFault, t6_calls_that_fail_from_then_on_are_told_and_lose_nothing) {
    for (const auto& kind : os_fault_kinds()) {
        if (kind.effect == os_effect::interrupt) continue;  // nobody is interrupted for ever
        fail_each(kind, true);
    }
    std::cout << runs << " runs\n";
}

/// With locks of two kinds in one process, any close would drop those of SQLite's own VFS.
TEST(IoFaultOpen, a12_open_without_descriptors_is_an_error_and_not_another_vfs) {
    const temp_dir folder = temp_dir::in_memory();
    const auto path = folder / "a.db";
    open_ours(path)->exec("pragma journal_mode=wal; create table t(x)");
    sqlite3* db = nullptr;

    const os_attack attack({.call = os_call::open, .error = EMFILE});
    const int code = sqlite3_open_v2(path.c_str(), &db, open_flags, "skiff");

    EXPECT_EQ(code, SQLITE_CANTOPEN);
    sqlite3_close(db);
}

/// Files whose numbers are not known were all one file.
TEST(IoFaultOpen, a12_files_that_cannot_be_told_apart_are_not_opened) {
    const temp_dir folder = temp_dir::in_memory();
    const auto path = folder / "a.db";
    open_ours(path)->exec("create table t(x)");
    sqlite3* db = nullptr;

    const os_attack attack({.call = os_call::status, .forever = true});
    const int code = sqlite3_open_v2(path.c_str(), &db, open_flags, "skiff");
    const int extended = sqlite3_extended_errcode(db);

    EXPECT_NE(code, SQLITE_OK);
    EXPECT_EQ(extended & 0xff, SQLITE_IOERR);
    sqlite3_close(db);
}

INSTANTIATE_TEST_SUITE_P(Scripts, IoFault, testing::ValuesIn(scenarios), [](const auto& given) {
    return std::string(given.param.name);
});

}  // namespace
