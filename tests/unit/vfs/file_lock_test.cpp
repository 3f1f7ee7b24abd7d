// The locks on the database file, alone and against SQLite's own VFS in rollback-journal mode: each
// program must keep the other out exactly as its like would.
#include "vfs/file_lock.hpp"

#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>

namespace {

using namespace skiff_test;
using skiff::vfs::file_lock;
namespace os = skiff::vfs::os;

constexpr std::int64_t pending_byte = 0x40000000;
constexpr std::int64_t whole_length = 512;

/// An open file with its lock, and what the kernel says about the others'.
struct locked_file {
    explicit locked_file(const std::filesystem::path& path)
        : fd(os::open_file(path.c_str(), O_RDWR | O_CREAT, 0600).fd), lock(fd) {}
    locked_file(const locked_file&) = delete;
    locked_file& operator=(const locked_file&) = delete;
    ~locked_file() { os::close_file(fd); }
    [[nodiscard]] bool others_hold_anything() const {
        return os::lock_held_by_others(fd, pending_byte, whole_length) != 0;
    }
    [[nodiscard]] bool sees_reserved() const {
        bool reserved = false;
        EXPECT_EQ(lock.check_reserved(reserved), SQLITE_OK);
        return reserved;
    }

    int fd;
    file_lock lock;
};

class FileLock : public testing::Test {
  protected:
    temp_dir folder;
    locked_file one{folder / "a.db"};
    locked_file two{folder / "a.db"};
};

TEST_F(FileLock, ladder_goes_up_and_down_and_leaves_nothing) {
    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);
    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);  // has more
    EXPECT_EQ(one.lock.level(), SQLITE_LOCK_EXCLUSIVE);

    EXPECT_EQ(one.lock.unlock(SQLITE_LOCK_SHARED), SQLITE_OK);
    EXPECT_EQ(one.lock.level(), SQLITE_LOCK_SHARED);
    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    EXPECT_EQ(two.lock.unlock(SQLITE_LOCK_NONE), SQLITE_OK);
    EXPECT_EQ(one.lock.unlock(SQLITE_LOCK_NONE), SQLITE_OK);
    EXPECT_FALSE(two.others_hold_anything());
}

TEST_F(FileLock, reserved_lets_readers_in_and_writers_not) {
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);

    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_BUSY);
    EXPECT_EQ(two.lock.level(), SQLITE_LOCK_SHARED);
    EXPECT_TRUE(one.sees_reserved());
    EXPECT_TRUE(two.sees_reserved());
}

TEST_F(FileLock, exclusive_beside_a_reader_stops_at_pending_and_keeps_new_readers_out) {
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);
    ASSERT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);

    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);

    EXPECT_EQ(one.lock.level(), SQLITE_LOCK_PENDING);
    locked_file three(folder / "a.db");
    EXPECT_EQ(three.lock.lock(SQLITE_LOCK_SHARED), SQLITE_BUSY);
    EXPECT_EQ(two.lock.unlock(SQLITE_LOCK_NONE), SQLITE_OK);
    EXPECT_EQ(three.lock.lock(SQLITE_LOCK_SHARED), SQLITE_BUSY);
    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
}

TEST_F(FileLock, pending_given_up_lets_everybody_in_again) {
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);
    ASSERT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);

    EXPECT_EQ(one.lock.unlock(SQLITE_LOCK_SHARED), SQLITE_OK);

    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);
    locked_file three(folder / "a.db");
    EXPECT_EQ(three.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
}

TEST_F(FileLock, exclusive_from_shared_goes_without_pending) {
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);

    EXPECT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);

    EXPECT_EQ(one.lock.level(), SQLITE_LOCK_SHARED);
    locked_file three(folder / "a.db");
    EXPECT_EQ(three.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
}

TEST_F(FileLock, exclusive_keeps_readers_out) {
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
    ASSERT_EQ(one.lock.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);

    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_BUSY);
    EXPECT_EQ(two.lock.level(), SQLITE_LOCK_NONE);
    EXPECT_EQ(one.lock.unlock(SQLITE_LOCK_NONE), SQLITE_OK);
    EXPECT_EQ(two.lock.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
}

/// What one program holds, by SQL, and what the other one may do then.
struct lock_case {
    const char* name;
    const char* holds;
    bool beside_a_reader;  ///< whose presence stops the holder's last step
    int read;
    int reserve;
    int exclude;
};
void PrintTo(const lock_case& shown, std::ostream* out) {
    *out << shown.name;
}

constexpr lock_case cases[] = {
    {"none", "select 1", false, SQLITE_OK, SQLITE_OK, SQLITE_OK},
    {"shared", "begin; select * from t", false, SQLITE_OK, SQLITE_OK, SQLITE_BUSY},
    {"reserved", "begin immediate", false, SQLITE_OK, SQLITE_BUSY, SQLITE_BUSY},
    {"pending", "begin immediate; insert into t values(2); commit", true, SQLITE_BUSY, SQLITE_BUSY,
     SQLITE_BUSY},
    {"exclusive", "begin exclusive", false, SQLITE_BUSY, SQLITE_BUSY, SQLITE_BUSY},
};

class FileLockAgainstStock : public testing::TestWithParam<std::tuple<lock_case, bool, bool>> {
  protected:
    static std::unique_ptr<raw_database> open(const std::filesystem::path& path, bool ours) {
        return ours ? open_ours(path) : open_stock(path);
    }
    /// Gets what the case wants and keeps it for `meanwhile`.
    static void hold(const std::filesystem::path& path,
                     const lock_case& wanted,
                     bool ours,
                     const std::function<void()>& meanwhile) {
        const auto holder = open(path, ours);
        std::unique_ptr<raw_database> reader;
        if (wanted.beside_a_reader) {
            reader = open(path, ours);  // stock readers of one process let each other in
            reader->exec("begin; select * from t");
        }
        static_cast<void>(holder->try_exec(wanted.holds));
        meanwhile();
    }
};

TEST_P(FileLockAgainstStock, holder_keeps_the_other_program_out_as_its_like_would) {
    const auto& [wanted, ours, in_child] = GetParam();
    const temp_dir folder;
    const auto path = folder / "a.db";
    open_stock(path)->exec("create table t(id integer primary key); insert into t values(1)");
    const auto challenge = [&, ours = ours, wanted = wanted] {
        const auto challenger = open(path, !ours);
        EXPECT_EQ(challenger->try_exec("select * from t"), wanted.read);
        EXPECT_EQ(challenger->try_exec("begin immediate; rollback"), wanted.reserve);
        EXPECT_EQ(challenger->try_exec("begin exclusive; rollback"), wanted.exclude);
    };

    if (in_child) {
        child_process child([&, ours = ours, wanted = wanted](child_channel& parent) {
            hold(path, wanted, ours, [&] {
                parent.signal();
                static_cast<void>(parent.wait());
            });
            return std::string("ok");
        });
        ASSERT_TRUE(child.wait());
        challenge();
        child.signal();
        EXPECT_EQ(child.join().answer, "ok");
    } else {
        hold(path, wanted, ours, challenge);
    }

    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_EQ(open(path, ours)->try_exec("begin exclusive; commit"), SQLITE_OK);
}

INSTANTIATE_TEST_SUITE_P(Levels,
                         FileLockAgainstStock,
                         testing::Combine(testing::ValuesIn(cases),
                                          testing::Bool(),
                                          testing::Bool()),
                         [](const auto& given) {
                             return std::string(std::get<0>(given.param).name) +
                                    (std::get<1>(given.param) ? "_ours" : "_stock") +
                                    (std::get<2>(given.param) ? "_process" : "_here");
                         });

TEST(FileLockMixed, both_programs_write_in_turn_in_rollback_mode) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto ours = open_ours(path);
    const auto stock = open_stock(path);
    ours->exec("create table t(id integer primary key, v text)");

    for (int round = 0; round < 30; ++round) {
        auto& writer = round % 2 == 0 ? *ours : *stock;
        auto& reader = round % 2 == 0 ? *stock : *ours;
        writer.exec("insert into t(v) select hex(randomblob(600)) from (select 1 union select 2)");
        ASSERT_EQ(reader.number("select count(*) from t"), 2 * (round + 1));
    }

    EXPECT_EQ(stock->text("pragma integrity_check"), "ok");
    EXPECT_EQ(ours->text("pragma integrity_check"), "ok");
}

}  // namespace
