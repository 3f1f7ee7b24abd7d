// What a request for the WRITE lock is told when it cannot be had: who waited in vain, who may not
// wait, and for how long. SQLite asks in these ways with SQLITE_ENABLE_SETLK_TIMEOUT.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/main_file.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

constexpr int write_slot = 0;
constexpr int read1_slot = 4;

class WriteWait : public testing::Test {
  protected:
    WriteWait() {
        holder->exec("pragma journal_mode=wal; create table t(id integer primary key)");
        if (asker->number("select count(*) from t") != 0) throw std::runtime_error("not empty");
        sqlite3_file_control(asker->handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    }
    int ask(int slot, int flags) {
        return file->pMethods->xShmLock(file, slot, 1, SQLITE_SHM_LOCK | flags);
    }
    int give_back(int slot, int flags) {
        return file->pMethods->xShmLock(file, slot, 1, SQLITE_SHM_UNLOCK | flags);
    }
    /// The old one.
    int set_timeout(int milliseconds) {
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LOCK_TIMEOUT, &milliseconds);
        return milliseconds;
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> holder = open_ours(path);
    std::unique_ptr<raw_database> asker = open_ours(path);
    sqlite3_file* file = nullptr;
};

TEST_F(WriteWait, c4_setting_a_timeout_tells_the_old_one) {
    EXPECT_EQ(set_timeout(7), 0);
    EXPECT_EQ(set_timeout(-1), 7);
    EXPECT_EQ(set_timeout(0), -1);
}

TEST_F(WriteWait, c3_wait_in_vain_for_a_writer_here_is_a_timeout) {
    holder->exec("begin immediate");
    set_timeout(3);

    EXPECT_EQ(ask(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY_TIMEOUT);

    holder->exec("commit");
    EXPECT_EQ(ask(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
    EXPECT_EQ(give_back(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
}

TEST_F(WriteWait, c3_wait_in_vain_for_another_process_is_a_timeout) {
    child_process other([this](child_channel& parent) {
        const auto db = open_stock(path);
        db->exec("pragma busy_timeout=20000; begin immediate");
        parent.signal();
        static_cast<void>(parent.wait());
        db->exec("commit");
        return std::string("done");
    });
    ASSERT_TRUE(other.wait());
    set_timeout(3);

    EXPECT_EQ(ask(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY_TIMEOUT);

    other.signal();
    EXPECT_EQ(other.join().answer, "done");
}

TEST_F(WriteWait, c3_who_does_not_wait_hears_busy) {
    holder->exec("begin immediate");

    EXPECT_EQ(ask(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY);
}

TEST_F(WriteWait, c2_reader_that_wants_to_write_is_refused_at_once) {
    holder->exec("begin immediate");
    ASSERT_EQ(ask(read1_slot, SQLITE_SHM_SHARED), SQLITE_OK);
    set_timeout(50);

    EXPECT_EQ(ask(write_slot, SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY);

    EXPECT_EQ(give_back(read1_slot, SQLITE_SHM_SHARED), SQLITE_OK);
}

}  // namespace
