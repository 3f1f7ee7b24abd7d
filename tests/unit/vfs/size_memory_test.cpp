// The file's size is remembered while the wal-index says that the log is empty
// (main_file_index.cpp), and no longer: found by SQLite's superlock-6.
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

namespace {

using namespace skiff_test;

TEST(VfsSizeMemory, size_seen_in_wal_mode_is_forgotten_when_the_connection_leaves_it) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec("create table t(x); pragma journal_mode=wal");
    ASSERT_EQ(db->number("select count(*) from t"), 0);
    db->exec(
        "pragma journal_mode=delete;"
        "with recursive n(i) as (select 1 union all select i+1 from n where i<100)"
        " insert into t select zeroblob(3000) from n; pragma journal_mode=wal");

    EXPECT_EQ(db->number("select count(*) from t"), 100);

    db->exec("insert into t values(zeroblob(3000))");
    EXPECT_EQ(integrity_of(path), "ok");
}

}  // namespace
