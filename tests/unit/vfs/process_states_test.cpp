// T22: forks while the parent reads or waits for a sync, descriptors that programs started from it
// inherit, and exit() while threads of the VFS live. process_test.cpp has the calls of the child.
#include "support/child_process.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/io_interceptor.hpp"
#include "vfs/process.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::vfs::io_event;

class ForkStates : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open() const {
        auto made = open_ours(path);
        made->exec(
            "pragma busy_timeout=20000; pragma journal_mode=wal; pragma synchronous=full;"
            "create table if not exists t(id integer primary key)");
        return made;
    }
    /// What a child does that does not know better: it uses and closes what is the parent's.
    [[nodiscard]] std::string child_meddles() {
        return run_in_child([this] {
                   // Pages that SQLite has in memory can be read, in the parent's transaction.
                   static_cast<void>(db->try_exec("select * from t"));
                   const int written = db->try_exec("insert into t values(1000)");
                   db.reset();
                   return std::string(written != SQLITE_OK ? "refused" : "allowed");
               })
            .answer;
    }
    void expect_parent_is_well() {
        EXPECT_EQ(db->try_exec("insert into t values(500)"), SQLITE_OK);
        EXPECT_EQ(db->text("pragma integrity_check"), "ok");
    }

    temp_dir folder;
    const std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> db = open();
};

TEST_F(ForkStates, a11_snapshot_of_a_reading_parent_stays_its_own) {
    db->exec("insert into t values(1); begin; select * from t");

    EXPECT_EQ(child_meddles(), "refused");

    EXPECT_EQ(run_in_child([this] {
                  const auto stock = open_stock(path);
                  stock->exec("insert into t values(2)");
                  const auto checkpoint = stock->column("pragma wal_checkpoint(truncate)");
                  return checkpoint.at(0);
              }).answer,
              "1");
    EXPECT_EQ(db->number("select count(*) from t"), 1);
    db->exec("commit");
    EXPECT_EQ(db->number("select count(*) from t"), 2);
    expect_parent_is_well();
}

/// Holds syncs of this process until the gate opens.
class slow_disk final : public skiff::vfs::io_interceptor {
  public:
    slow_disk() { install(this); }
    ~slow_disk() override { install(nullptr); }
    int before(const io_event& event) noexcept override {
        if (event.what == io_event::kind::sync) gate.pass();
        return 0;
    }
    void after(const io_event&, int) noexcept override {}

    latch_gate gate;
};

TEST_F(ForkStates, a11_commit_that_waits_for_its_sync_during_a_fork_ends_well) {
    db->exec("insert into t values(1)");
    const auto other = open();
    other->exec("select * from t");
    slow_disk disk;
    std::atomic<int> code{-1};
    // committer                    parent
    // waits in its sync
    //                              forks; the child meddles and ends
    //                              opens the gate
    // commits
    std::thread committer([&] { code = other->try_exec("insert into t values(2)"); });
    disk.gate.wait_for_visitor();

    EXPECT_EQ(child_meddles(), "refused");
    disk.gate.open();
    committer.join();

    EXPECT_EQ(code, SQLITE_OK);
    EXPECT_EQ(number_in(path, "select count(*) from t"), 2);
    expect_parent_is_well();
}

TEST_F(ForkStates, a11_programs_that_are_started_inherit_no_descriptor) {
    db->exec("insert into t values(1)");
    int found = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto name = std::filesystem::read_symlink(each.path(), gone).string();
        if (!name.starts_with(path.string())) continue;
        ++found;
        const int fd = std::stoi(each.path().filename().string());
        EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << name;
    }

    EXPECT_GE(found, 3);  // the database, the log, the index
}

TEST_F(ForkStates, a11_exit_while_threads_use_the_database_ends_the_process) {
#if defined(__has_feature)
    GTEST_SKIP() << "what a child leaves alone of its parent's is a leak to sanitizers";
#endif
    const auto told = run_in_child([this]() -> std::string {
        // Never destroyed: the threads use them to the end.
        static auto& connections = *new std::vector<std::unique_ptr<raw_database>>;
        static std::atomic<int> written{0};
        open()->exec("insert or ignore into t values(1)");
        for (int thread = 0; thread < 3; ++thread) {
            connections.push_back(open());
            std::thread([mine = connections.back().get()] {
                for (;;) {
                    if (mine->try_exec("insert into t select max(id)+1 from t") == 0) ++written;
                }
            }).detach();
        }
        wait_until([] { return written > 10; }, "threads that write");
        std::exit(0);
    });

    EXPECT_EQ(told.signal, 0);
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(integrity_of(path), "ok");
    expect_parent_is_well();
}

TEST_F(ForkStates, a11_exit_with_open_connections_and_a_running_timer_ends_the_process) {
#if defined(__has_feature)
    GTEST_SKIP() << "what a child leaves alone of its parent's is a leak to sanitizers";
#endif
    const auto told = run_in_child([this]() -> std::string {
        static const auto mine = open();
        for (int read = 0; read < 200; ++read) mine->exec("select * from t");
        std::exit(0);
    });

    EXPECT_EQ(told.signal, 0);
    EXPECT_EQ(told.exit_code, 0);
    expect_parent_is_well();
}

}  // namespace
