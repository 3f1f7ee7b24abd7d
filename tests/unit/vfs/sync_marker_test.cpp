// Rule B22: after a failed sync the next one to open the database looks at the disk first.
#include "vfs/sync_marker.hpp"

#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/io_interceptor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace skiff_test;
using skiff::vfs::io_event;

/// Syncs of logs fail while it is set.
class broken_log final : public skiff::vfs::io_interceptor {
  public:
    broken_log() { install(this); }
    ~broken_log() override { install(nullptr); }
    int before(const io_event& event) noexcept override {
        return event.what == io_event::kind::sync && is_broken ? EIO : 0;
    }
    void after(const io_event&, int) noexcept override {}

    std::atomic<bool> is_broken{false};
};

class SyncMarker : public testing::Test {
  protected:
    SyncMarker() {
        auto db = open_ours(path);
        db->exec(
            "pragma journal_mode=wal; pragma synchronous=full; create table t(x);"
            "insert into t values(randomblob(20000)); insert into t values(2)");
        disk.is_broken = true;
        EXPECT_EQ(db->try_exec("insert into t values(3)"), SQLITE_IOERR_FSYNC);
        // As a process that dies: closing would leave the log as well.
        EXPECT_TRUE(std::filesystem::exists(log));
        keeper = std::move(db);
    }
    [[nodiscard]] bool is_marked() const { return std::filesystem::exists(marker); }
    /// The code with which the database opens.
    [[nodiscard]] int try_open() const {
        sqlite3* db = nullptr;
        const int code = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, "skiff");
        const int extended = code == SQLITE_OK ? code : sqlite3_extended_errcode(db);
        sqlite3_close(db);
        return extended;
    }
    void damage_first_frame() const {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(500);
        file.put('!').flush();
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::filesystem::path log = path.string() + "-wal";
    std::filesystem::path marker = path.string() + skiff::vfs::sync_marker::suffix;
    broken_log disk;
    std::unique_ptr<raw_database> keeper;
};

TEST_F(SyncMarker, b22_failed_sync_leaves_a_marker_that_names_the_last_durable_commit) {
    std::string text;
    std::getline(std::ifstream(marker), text, '\0');

    EXPECT_TRUE(is_marked());
    EXPECT_NE(text.find("errno 5"), std::string::npos) << text;
    EXPECT_EQ(text.find("frame 0\n"), std::string::npos) << text;
}

TEST_F(SyncMarker, b22_database_opens_when_the_disk_has_what_was_acknowledged) {
    keeper.reset();
    disk.is_broken = false;

    const auto db = open_ours(path);

    EXPECT_FALSE(is_marked());
    EXPECT_GE(db->number("select count(*) from t"), 2);
    EXPECT_EQ(db->try_exec("insert into t values(4)"), SQLITE_OK);
}

TEST_F(SyncMarker, b22_database_stays_shut_while_the_disk_fails) {
    keeper.reset();

    EXPECT_EQ(try_open(), SQLITE_IOERR_FSYNC);

    EXPECT_TRUE(is_marked());
}

TEST_F(SyncMarker, b22_database_stays_shut_while_another_program_uses_it) {
    keeper.reset();
    disk.is_broken = false;
    {
        const auto other = open_stock(path);
        other->exec("select * from t");
        EXPECT_EQ(try_open(), SQLITE_IOERR_FSYNC);
    }
    EXPECT_EQ(try_open(), SQLITE_OK);
}

TEST_F(SyncMarker, b22_lost_commits_keep_the_database_shut_until_the_marker_is_removed) {
    keeper.reset();
    disk.is_broken = false;
    damage_first_frame();

    EXPECT_EQ(try_open(), SQLITE_IOERR_DATA);
    EXPECT_TRUE(is_marked());
    std::filesystem::remove(marker);
    EXPECT_EQ(try_open(), SQLITE_OK);
}

TEST_F(SyncMarker, b22_connections_that_are_open_are_joined_without_a_look) {
    EXPECT_EQ(try_open(), SQLITE_OK);

    EXPECT_TRUE(is_marked());
}

}  // namespace
