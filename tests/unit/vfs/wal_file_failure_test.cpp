// A log that cannot grow for a while: what SQLite believes to have written must not be lost, and
// what was rolled back must not come back.
#include "support/child_process.hpp"
#include "support/full_disk.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/wal_file.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

constexpr std::size_t no_limit = std::size_t{1} << 40;

/// In a child, since limits are the process's: an open transaction whose newest frames are still
/// gathered, and a log that cannot take them.
std::unique_ptr<raw_database> open_with_gathered_frames(const std::filesystem::path& path) {
    auto db = open_ours(path);
    db->exec(
        "pragma journal_mode=wal; pragma wal_autocheckpoint=0; pragma synchronous=normal;"
        "create table t(id integer primary key, v text);"
        "with recursive n(i) as (select 1 union all select i+1 from n where i<300)"
        " insert into t select i, printf('%0500d', i) from n;"
        "pragma wal_checkpoint(truncate); insert into t values(1000,'last');"
        "pragma cache_size=5; pragma cache_spill=5; begin immediate;"
        "update t set v=replace(v,'0','x') where id<150");
    limit_file_size(std::filesystem::file_size(path.string() + "-wal"));
    return db;
}

/// An image reads without ending the transaction when it fails, unlike a statement.
void read_all(raw_database& db) {
    sqlite3_int64 bytes = 0;
    sqlite3_free(sqlite3_serialize(db.handle(), "main", &bytes, 0));
}

TEST(WalFileFailure, frames_that_a_read_could_not_flush_are_committed_all_the_same) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto told = run_in_child([&] {
        const auto db = open_with_gathered_frames(path);
        read_all(*db);
        limit_file_size(no_limit);
        db->exec("update t set v='changed' where id>250; commit");
        return std::string();
    });

    ASSERT_EQ(told.exit_code, 0) << told.answer;
    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_EQ(number_in(path, "select count(*) from t where v like 'x%'"), 149);
    EXPECT_EQ(number_in(path, "select count(*) from t where v='changed'"), 51);
}

TEST(WalFileFailure, commit_without_space_is_refused_and_leaves_nothing) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto told = run_in_child([&] {
        const auto db = open_with_gathered_frames(path);
        const int refused = db->try_exec("commit");
        static_cast<void>(db->try_exec("rollback"));
        limit_file_size(no_limit);
        db->exec("insert into t values(1001,'after')");
        return std::to_string(refused & 0xff) + " " + db->text("pragma integrity_check");
    });

    ASSERT_EQ(told.exit_code, 0) << told.answer;
    EXPECT_EQ(told.answer, std::to_string(SQLITE_FULL) + " ok");
    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_EQ(number_in(path, "select count(*) from t where v like 'x%'"), 0);
    EXPECT_EQ(number_in(path, "select count(*) from t where id>=1000"), 2);
}

}  // namespace
