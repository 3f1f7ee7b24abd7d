// T7: syncs that the kernel really fails. After the first one nobody is told that a commit
// succeeded, other programs are kept out, and what was acknowledged before is on the disk.
#include "crash/failing_disk.hpp"
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

constexpr const char* insert_sql =
    "insert into t select coalesce(max(n),0)+1, randomblob(100000) from t";
constexpr int commits_max = 400;

/// When the disk fails: at a commit, or at a checkpoint of commits that were durable.
enum class moment { commit, checkpoint };

std::unique_ptr<raw_database> open_full(const std::filesystem::path& path) {
    auto db = open_ours(path);
    db->exec("pragma busy_timeout=1000; pragma wal_autocheckpoint=0; pragma synchronous=full");
    return db;
}

/// Whether another program may write; a code.
int write_elsewhere(const std::filesystem::path& path) {
    const auto told = run_in_child([&] {
        const auto stock = open_stock(path);
        return std::to_string(stock->try_exec("pragma busy_timeout=50; begin immediate; " +
                                              std::string(insert_sql) + "; commit"));
    });
    return told.exit_code == 0 ? std::stoi(told.answer) : -1;
}

/// Both connections try until the disk fails; the number of commits that succeeded, or -1.
int write_until_failure(raw_database& one, raw_database& two, failing_disk& disk, moment when) {
    int acknowledged = 0;
    for (; acknowledged < 20; ++acknowledged) one.exec(insert_sql);
    if (when == moment::checkpoint) {
        disk.fail();
        for (int round = 0; round < commits_max; ++round) {
            if (one.try_exec("pragma wal_checkpoint(truncate)") != SQLITE_OK) return acknowledged;
            if (two.try_exec(insert_sql) != SQLITE_OK) return acknowledged;
            ++acknowledged;
        }
        return -1;
    }
    disk.fail();
    for (int round = 0; round < commits_max; ++round, ++acknowledged) {
        if ((round % 2 == 0 ? one : two).try_exec(insert_sql) != SQLITE_OK) return acknowledged;
    }
    return -1;
}

/// In a process of its own; "ok", "skip: why", or what was wrong.
std::string fail_and_judge(const std::filesystem::path& folder,
                           failing_disk::journal kind,
                           moment when) {
    failing_disk disk(folder, kind);
    if (!disk.problem().empty()) return "skip: " + disk.problem();
    const auto path = disk / "a.db";
    auto one = open_full(path);
    one->exec("pragma journal_mode=wal; create table t(n integer primary key, pad)");
    auto two = open_full(path);
    two->exec("select * from t");

    const int acknowledged = write_until_failure(*one, *two, disk, when);
    if (acknowledged < 0) return "skip: the disk did not fail";
    std::string wrong;
    const auto note = [&](bool holds, const char* what) {
        if (!holds) wrong += std::string(what) + "; ";
    };
    note(one->try_exec(insert_sql) != SQLITE_OK, "a commit after the failure");
    note(two->try_exec(insert_sql) != SQLITE_OK, "a commit of another connection");
    note(write_elsewhere(path) != SQLITE_OK, "b21: a stock program may write");
    disk.heal();
    note(two->try_exec(insert_sql) != SQLITE_OK, "a commit when the disk was well again");
    note(write_elsewhere(path) != SQLITE_OK, "b21: a stock program may write afterwards");
    note(two->number("select count(*) from t") >= acknowledged, "rows are not read");
    if (const auto problem = disk.mount_copy(folder / "copied"); !problem.empty()) {
        return "skip: " + problem;
    }
    const auto left = folder / "copied" / "a.db";
    // Without a journal the file system loses blocks of its own: SQLite's VFS ends the same way
    // here.
    if (kind == failing_disk::journal::with) {
        note(integrity_of(left) == "ok", "the disk's file is not sound");
        note(number_in(left, "select count(*) from t") >= acknowledged,
             "an acknowledged row is lost");
    }
    one.reset();
    two.reset();
    return wrong.empty() ? "ok" : wrong;
}

class SyncFailure : public testing::TestWithParam<std::tuple<failing_disk::journal, moment>> {};

TEST_P(SyncFailure, t7_b18_b21_nothing_is_acknowledged_after_a_sync_that_really_failed) {
    const temp_dir folder;

    const auto told = run_in_child([&] {
        return fail_and_judge(folder.path(), std::get<0>(GetParam()), std::get<1>(GetParam()));
    });

    if (told.answer.starts_with("skip: ")) GTEST_SKIP() << told.answer.substr(6);
    EXPECT_EQ(told.answer, "ok");
    EXPECT_EQ(told.signal, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Disks,
    SyncFailure,
    testing::Combine(testing::Values(failing_disk::journal::with, failing_disk::journal::without),
                     testing::Values(moment::commit, moment::checkpoint)),
    [](const auto& given) {
        return std::string(std::get<0>(given.param) == failing_disk::journal::with
                               ? "with_journal_"
                               : "without_journal_") +
               (std::get<1>(given.param) == moment::commit ? "at_commit" : "at_checkpoint");
    });

}  // namespace
