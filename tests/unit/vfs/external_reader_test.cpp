// SQLITE_FCNTL_EXTERNAL_READER: whether another process reads the database at the moment. Found by
// SQLite's external_reader.test.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/wal_index.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

class ExternalReader : public testing::Test {
  protected:
    ExternalReader() {
        db->exec("pragma journal_mode=wal; create table t(x); insert into t values(1)");
    }
    /// 1, 0, or -1 when the question is refused.
    [[nodiscard]] int found() const {
        int found = -1;
        const int code =
            sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_EXTERNAL_READER, &found);
        return code == SQLITE_OK ? found : -1;
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::unique_ptr<raw_database> db = open_ours(path);
};

TEST_F(ExternalReader, another_process_is_found_while_it_reads) {
    for (const bool ours : {true, false}) {
        child_process child([&](child_channel& parent) {
            const auto other = ours ? open_ours(path) : open_stock(path);
            other->exec("pragma busy_timeout=20000");
            parent.signal();
            static_cast<void>(parent.wait());
            other->exec("begin; select * from t");
            parent.signal();
            static_cast<void>(parent.wait());
            other->exec("commit");
            parent.signal();
            static_cast<void>(parent.wait());
            return std::string("done");
        });
        ASSERT_TRUE(child.wait());
        EXPECT_EQ(found(), 0) << "attached";
        child.signal();
        ASSERT_TRUE(child.wait());
        EXPECT_EQ(found(), 1) << "reads";
        child.signal();
        ASSERT_TRUE(child.wait());
        EXPECT_EQ(found(), 0) << "does not read any more";
        child.signal();
        EXPECT_EQ(child.join().answer, "done");
    }
}

TEST_F(ExternalReader, readers_of_this_process_do_not_count) {
    const auto other = open_ours(path);
    other->exec("begin; select * from t");
    db->exec("begin; select * from t");

    EXPECT_EQ(found(), 0);
}

TEST_F(ExternalReader, database_without_a_log_has_none) {
    db->exec("pragma journal_mode=delete");

    EXPECT_EQ(found(), 0);
}

}  // namespace
