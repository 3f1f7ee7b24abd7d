// Forks: a child must not use what its parent opened, must not harm it by ending, and may open the
// same files anew.
#include "vfs/process.hpp"

#include "support/child_process.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace skiff_test;
namespace os = skiff::vfs::os;

sqlite3_file* file_of(const raw_database& db, int which) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db.handle(), "main", which, static_cast<void*>(&file));
    return file;
}

/// Names of the calls on a file that did not fail, with a blank before each.
std::string calls_allowed_on(sqlite3_file* file, bool is_database) {
    const auto& call = *file->pMethods;
    std::array<char, 4096> page{};
    sqlite3_int64 size = 0;
    int number = 0;
    void* mapped = nullptr;
    void volatile* region = nullptr;
    std::string allowed;
    const auto note = [&](const char* name, int code) {
        if (code == SQLITE_OK) allowed += std::string(" ") + name;
    };
    note("read", call.xRead(file, page.data(), 100, 0));
    note("write", call.xWrite(file, page.data(), 100, 1 << 20));
    note("truncate", call.xTruncate(file, 0));
    note("sync", call.xSync(file, SQLITE_SYNC_NORMAL));
    note("size", call.xFileSize(file, &size));
    if (!is_database) return allowed;
    note("lock", call.xLock(file, SQLITE_LOCK_EXCLUSIVE));
    note("unlock", call.xUnlock(file, SQLITE_LOCK_NONE));
    note("check", call.xCheckReservedLock(file, &number));
    note("control", call.xFileControl(file, SQLITE_FCNTL_LOCKSTATE, &number));
    note("phasetwo", call.xFileControl(file, SQLITE_FCNTL_COMMIT_PHASETWO, nullptr));
    note("map", call.xShmMap(file, 0, 32768, 1, &region));
    note("share", call.xShmLock(file, 4, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED));
    note("exclude", call.xShmLock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE));
    note("unshare", call.xShmLock(file, 4, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED));
    call.xShmBarrier(file);
    note("fetch", call.xFetch(file, 0, 4096, &mapped));
    note("unmap", call.xShmUnmap(file, 1));
    return allowed;
}

class Fork : public testing::Test {
  protected:
    Fork() {
        db->exec(
            "pragma journal_mode=wal; create table t(id integer primary key);"
            "insert into t values(1)");
    }
    /// What a program of another kind is told when it wants to write, in a process of its own.
    [[nodiscard]] int write_elsewhere() const {
        const auto told = run_in_child([this] {
            return std::to_string(open_stock(path)->try_exec("begin immediate; rollback"));
        });
        return told.exit_code == 0 ? std::stoi(told.answer) : -1;
    }
    void expect_parent_is_well() {
        EXPECT_EQ(db->try_exec("insert into t values(1000)"), SQLITE_OK);
        EXPECT_EQ(db->text("pragma integrity_check"), "ok");
        EXPECT_EQ(number_in(path, "select count(*) from t where id=1000"), 1);
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> db = open_ours(path);
};

TEST_F(Fork, a11_child_is_refused_by_every_call) {
    auto* database = file_of(*db, SQLITE_FCNTL_FILE_POINTER);
    auto* log = file_of(*db, SQLITE_FCNTL_JOURNAL_POINTER);

    const auto told = run_in_child([&] {
        return "allowed:" + calls_allowed_on(log, false) + calls_allowed_on(database, true);
    });

    EXPECT_EQ(told.answer, "allowed:");
    expect_parent_is_well();
}

TEST_F(Fork, a11_child_that_uses_and_closes_the_connection_does_no_harm) {
    const auto told = run_in_child([&] {
        const int read = db->try_exec("select * from t");
        const int written = db->try_exec("insert into t values(2)");
        const int checkpoint = db->try_exec("pragma wal_checkpoint(truncate)");
        db.reset();
        const bool refused = read != SQLITE_OK && written != SQLITE_OK && checkpoint != SQLITE_OK;
        return std::string(refused ? "refused" : "allowed");
    });

    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(told.answer, "refused");
    EXPECT_TRUE(std::filesystem::exists(path.string() + "-wal"));
    EXPECT_TRUE(std::filesystem::exists(path.string() + "-shm"));
    EXPECT_EQ(db->number("select count(*) from t"), 1);
    expect_parent_is_well();
}

TEST_F(Fork, a11_child_in_an_open_transaction_writes_nothing) {
    db->exec("begin immediate; insert into t values(2)");

    const auto told = run_in_child([&] {
        const int code = db->try_exec("commit");
        db.reset();
        return std::string(code == SQLITE_OK ? "committed" : "refused");
    });

    EXPECT_EQ(told.answer, "refused");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 1);
    db->exec("commit");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 2);
    expect_parent_is_well();
}

TEST_F(Fork, a11_locks_of_the_parent_survive_the_end_of_a_child) {
    db->exec("begin immediate; insert into t values(2)");
    ASSERT_EQ(run_in_child([&] {
                  db.reset();
                  return std::string("ended");
              }).answer,
              "ended");

    EXPECT_EQ(write_elsewhere(), SQLITE_BUSY);

    db->exec("commit");
    EXPECT_EQ(write_elsewhere(), SQLITE_OK);
    expect_parent_is_well();
}

TEST_F(Fork, a11_locks_of_the_parent_end_with_it_while_a_child_lives) {
    db->exec("begin immediate; insert into t values(2)");
    child_process child([](child_channel& parent) {
        parent.signal();
        static_cast<void>(parent.wait());
        return std::string("ended");
    });
    ASSERT_TRUE(child.wait());

    db->exec("commit");
    db.reset();

    EXPECT_EQ(open_stock(path)->try_exec("pragma journal_mode=delete; begin exclusive; commit"),
              SQLITE_OK);
    child.signal();
    EXPECT_EQ(child.join().answer, "ended");
}

TEST_F(Fork, a11_child_may_open_the_database_anew) {
    const auto told = run_in_child([&] {
        const auto mine = open_ours(path);
        mine->exec("pragma busy_timeout=10000");
        for (int id = 2; id < 100; ++id)
            mine->exec("insert into t values(" + std::to_string(id) + ")");
        return vfs_of(*mine) + " " + mine->text("select count(*) from t");
    });

    EXPECT_EQ(told.answer, "skiff 99");
    EXPECT_EQ(db->number("select count(*) from t"), 99);
    expect_parent_is_well();
}

TEST_F(Fork, a11_child_of_a_parent_that_is_alone_waits_until_it_is_idle) {
    wait_until(
        [&] {
            for (int read = 0; read < 20; ++read) db->exec("select * from t");
            const auto seen = os::open_file((path.string() + "-shm").c_str(), O_RDWR, 0);
            const bool alone = os::lock_held_by_others(seen.fd, 120, 1) == 2;
            os::close_file(seen.fd);
            return alone;
        },
        "alone mode");

    const auto told = run_in_child([&] {
        const auto mine = open_ours(path);
        mine->exec("pragma busy_timeout=10000; insert into t values(2)");
        return mine->text("select count(*) from t");
    });

    EXPECT_EQ(told.answer, "2");
    expect_parent_is_well();
}

TEST(Process, descriptor_closed_by_a_fork_is_not_closed_again) {
    using namespace skiff::vfs::process;
    note_opened(60000);

    EXPECT_TRUE(note_closed(60000));
    EXPECT_FALSE(note_closed(60000));
}

TEST(Process, object_of_the_process_is_made_anew_in_a_child) {
    skiff::vfs::process::watch_forks();
    skiff::vfs::process::the_only<std::pair<int, int>>().first = 7;

    const auto told = run_in_child(
        [] { return std::to_string(skiff::vfs::process::the_only<std::pair<int, int>>().first); });

    EXPECT_EQ(told.answer, "0");
    EXPECT_EQ((skiff::vfs::process::the_only<std::pair<int, int>>().first), 7);
}

}  // namespace
