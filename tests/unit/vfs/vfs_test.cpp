// Which files are ours and which are left to SQLite's own VFS, and files that others meddle with.
#include "support/child_process.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/os.hpp"
#include "vfs/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace {

using namespace skiff_test;
namespace os = skiff::vfs::os;

constexpr std::int64_t write_byte = 120;
constexpr std::int64_t read0_byte = 123;
constexpr std::int64_t attached_byte = 128;
constexpr std::int64_t read_slots = 5;
constexpr std::int64_t reserved_byte = 0x40000001;
constexpr std::int64_t shared_first = 0x40000002;
constexpr std::int64_t shared_length = 510;
constexpr int exclusive = static_cast<int>(os::lock_kind::exclusive);
constexpr int shared = static_cast<int>(os::lock_kind::shared);

class Vfs : public testing::Test {
  protected:
    void make_database() const {
        open_stock(path)->exec(
            "pragma journal_mode=wal; create table t(id integer primary key);"
            "insert into t values(1)");
    }
    /// The strongest lock on bytes of a file, as another open file sees it.
    static int held(const std::string& name, std::int64_t first, std::int64_t count) {
        const auto opened = os::open_file(name.c_str(), O_RDWR, 0);
        const int found = os::lock_held_by_others(opened.fd, first, count);
        os::close_file(opened.fd);
        return found;
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::string index = path.string() + "-shm";
};

TEST_F(Vfs, plain_database_is_ours) {
    make_database();
    EXPECT_EQ(vfs_of(*open_ours(path)), "skiff");
}

TEST_F(Vfs, memory_and_temporary_databases_work) {
    const auto memory = open_ours(":memory:");
    EXPECT_EQ(memory->number("select 7"), 7);
    const auto db = open_ours(path);
    db->exec(
        "pragma temp_store=file; pragma cache_size=5; create temp table x as"
        " with recursive n(i) as (select 1 union all select i+1 from n where i<2000)"
        " select i, hex(randomblob(400)) h from n; create index temp.xi on x(h)");
    EXPECT_EQ(db->number("select count(distinct h) from x"), 2000);
}

TEST_F(Vfs, immutable_database_is_stocks_and_reads) {
    make_database();
    const auto db = open_ours(path, "immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);

    EXPECT_EQ(vfs_of(*db).substr(0, 4), "unix");
    EXPECT_EQ(db->number("select count(*) from t"), 1);
}

TEST_F(Vfs, database_without_locks_is_stocks_and_works) {
    open_stock(path)->exec("create table t(id integer primary key)");
    const auto db = open_ours(path, "nolock=1");

    db->exec("insert into t values(1)");

    EXPECT_EQ(vfs_of(*db).substr(0, 4), "unix");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 1);
}

TEST_F(Vfs, b2_database_without_powersafe_overwrite_is_stocks_and_works) {
    make_database();
    const auto db = open_ours(path, "psow=0");

    db->exec("insert into t values(2)");

    EXPECT_EQ(vfs_of(*db), "unix");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 2);
}

TEST_F(Vfs, missing_database_and_folder_are_errors_of_stocks) {
    sqlite3* db = nullptr;
    ASSERT_EQ(skiff::vfs::register_vfs(), SQLITE_OK);
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, "skiff"), SQLITE_CANTOPEN);
    sqlite3_close(db);
    EXPECT_EQ(sqlite3_open_v2((folder / "none/a.db").c_str(), &db,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "skiff"),
              SQLITE_CANTOPEN);
    sqlite3_close(db);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Vfs, file_that_nobody_may_write_is_stocks_and_reads) {
    make_database();
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
    const auto told = run_in_child([&] {
        if (!drop_privileges() || access(path.c_str(), R_OK) != 0) return std::string("no access");
        const auto db = open_ours(path);
        const int refused = db->try_exec("insert into t values(2)");
        return vfs_of(*db) + " " + db->text("select count(*) from t") + " " +
               std::to_string(refused & 0xff);
    });
    if (told.answer == "no access") GTEST_SKIP() << "nobody cannot reach the folder";

    EXPECT_EQ(told.answer, "unix 1 " + std::to_string(SQLITE_READONLY));
}

TEST_F(Vfs, last_connection_removes_the_log_and_the_index) {
    make_database();
    auto one = open_ours(path);
    one->exec("insert into t values(2)");
    auto two = open_ours(path);
    two->exec("insert into t values(3)");
    one.reset();
    EXPECT_TRUE(std::filesystem::exists(index));

    two.reset();

    EXPECT_FALSE(std::filesystem::exists(index));
    EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));
    EXPECT_EQ(number_in(path, "select count(*) from t"), 3);
}

TEST_F(Vfs, a10_index_is_marked_as_attached_while_a_connection_is_open) {
    make_database();
    auto db = open_ours(path);
    db->exec("select * from t");

    EXPECT_EQ(held(index, attached_byte, 1), shared);
}

TEST_F(Vfs, a9_index_is_left_when_the_last_connection_is_closed) {
    make_database();
    {
        const auto db = open_ours(path);
        int persists = 1;
        sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_PERSIST_WAL, &persists);
        db->exec("insert into t values(2)");
    }
    ASSERT_TRUE(std::filesystem::exists(index));

    EXPECT_EQ(held(index, write_byte, 9), 0);
}

TEST_F(Vfs, a4_idle_process_holds_no_slot) {
    make_database();
    const auto db = open_ours(path);
    for (int read = 0; read < 200; ++read) db->exec("select * from t");

    EXPECT_TRUE(wait_until([&] { return held(index, write_byte, 8) == 0; }, "an idle process"));
}

TEST_F(Vfs, e1_busy_process_is_alone_after_a_while) {
    make_database();
    const auto db = open_ours(path);

    EXPECT_TRUE(wait_until(
        [&] {
            for (int read = 0; read < 20; ++read) db->exec("select * from t");
            return held(index, write_byte, 1) == exclusive;
        },
        "alone mode"));
}

TEST_F(Vfs, e6_alone_mode_can_be_turned_off_by_a_parameter) {
    make_database();
    const auto db = open_ours(path, "skiff_alone=0");

    for (int read = 0; read < 500; ++read) {
        db->exec("select * from t");
        ASSERT_NE(held(index, write_byte, 8), exclusive) << "read " << read;
    }
}

TEST_F(Vfs, e5_lock_on_the_database_file_is_held_while_the_log_is_open) {
    make_database();
    const auto db = open_ours(path);
    for (int read = 0; read < 200; ++read) db->exec("select * from t");

    EXPECT_EQ(held(path, shared_first, shared_length), shared);
}

TEST_F(Vfs, index_deleted_by_another_program_does_not_corrupt) {
    make_database();
    const auto one = open_ours(path);
    const auto two = open_ours(path);
    one->exec("insert into t values(2)");
    ASSERT_EQ(two->number("select count(*) from t"), 2);

    std::filesystem::remove(index);
    int rows = 2;
    for (int id = 3; id < 50; ++id) {  // until the deletion is noticed
        const auto& db = id % 2 == 0 ? one : two;
        if (db->try_exec("insert into t values(" + std::to_string(id) + ")") == SQLITE_OK) ++rows;
    }

    EXPECT_EQ(number_in(path, "select count(*) from t"), rows);
    EXPECT_EQ(integrity_of(path), "ok");
}

TEST_F(Vfs, index_deleted_while_open_loses_nothing_at_the_end) {
    make_database();
    auto db = open_ours(path);
    db->exec("insert into t values(2)");
    std::filesystem::remove(index);
    const bool is_in = db->try_exec("insert into t values(3)") == SQLITE_OK;

    db.reset();

    EXPECT_EQ(number_in(path, "select count(*) from t"), is_in ? 3 : 2);
    EXPECT_EQ(integrity_of(path), "ok");
}

/// A close of any descriptor drops all traditional locks that the process has on the file.
TEST_F(Vfs, a12_read_only_connection_keeps_its_locks_when_another_one_closes) {
    make_database();
    open_ours(path)->exec("insert into t values(2)");
    const auto reader = open_ours(path, "", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    auto writer = open_ours(path);
    writer->exec("insert into t values(3)");
    reader->exec("begin; select * from t");

    writer.reset();

    const auto told = run_in_child([&] {
        return std::to_string(held(path, shared_first, shared_length)) +
               std::to_string(held(index, attached_byte, 1)) +
               std::to_string(held(index, read0_byte, read_slots));
    });
    EXPECT_THAT(told.answer, testing::AnyOf("111", "112"));  // alone, perhaps
    EXPECT_EQ(reader->number("select count(*) from t"), 3);
}

TEST_F(Vfs, read_only_connection_changes_nothing) {
    make_database();
    auto writer = open_ours(path);
    writer->exec("insert into t values(2)");
    auto reader = open_ours(path, "", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);

    EXPECT_EQ(reader->try_exec("insert into t values(4)"), SQLITE_READONLY);
    EXPECT_EQ(reader->number("select count(*) from t"), 2);
    EXPECT_EQ(sqlite3_db_readonly(reader->handle(), "main"), 1);

    writer.reset();
    reader->exec("select * from t");
    const auto bytes = std::filesystem::last_write_time(path);
    reader.reset();
    EXPECT_EQ(std::filesystem::last_write_time(path), bytes);
    EXPECT_EQ(number_in(path, "select count(*) from t"), 2);
}

/// In a child that has a file system of its own: ramfs is one that we leave to SQLite's own VFS.
TEST_F(Vfs, a12_opening_on_an_unknown_file_system_drops_no_locks) {
    const auto told = run_in_child([&] {
        if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
            mount("none", folder.path().c_str(), "ramfs", 0, "") != 0) {
            return std::string("no mount");
        }
        const auto first = open_ours(path);
        first->exec("create table t(id integer primary key); begin immediate");
        {
            const auto second = open_ours(folder / "b.db");
        }
        const auto third = open_ours(path);
        const auto other =
            run_in_child([&] { return std::to_string(held(path, reserved_byte, 1)); });
        return vfs_of(*first) + " " + other.answer;
    });
    if (told.answer == "no mount") GTEST_SKIP() << "no right to mount a file system";

    EXPECT_EQ(told.answer, "unix " + std::to_string(exclusive));
}

}  // namespace
