// The log as SQLite uses it: one write call a commit, transactions that spill, roll back or are
// rewritten in place, and every page size; always compared with SQLite's own VFS.
#include "vfs/wal_file.hpp"

#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace skiff_test;

constexpr const char* small_cache = "pragma cache_size=5; pragma cache_spill=5;";

void make_table(raw_database& db, int rows) {
    db.exec(
        "pragma journal_mode=wal; pragma synchronous=normal; pragma wal_autocheckpoint=0;"
        "create table t(id integer primary key, v text, w int); create index ti on t(w);");
    db.exec("with recursive n(i) as (select 1 union all select i+1 from n where i<" +
            std::to_string(rows) + ") insert into t select i, printf('%0500d', i), i*7 from n;");
}

std::string content_of(raw_database& db) {
    return db.text(
        "select group_concat(id||':'||w||':'||length(v)||':'||substr(v,-8))"
        " from (select * from t order by id)");
}

TEST(WalFile, commit_of_many_pages_is_one_write_call) {
    if (write_calls() < 0) GTEST_SKIP() << "this system does not count write calls";
    const temp_dir folder;
    const auto db = open_ours(folder / "a.db");
    make_table(*db, 200);
    db->exec("begin immediate; update t set w=w+1 where id%20=0");  // spread over many pages
    const auto before = write_calls();

    db->exec("commit");

    EXPECT_EQ(write_calls() - before, 1);
    EXPECT_GT(db->number("select count(distinct pageno) from dbstat where name='t'"), 10);
}

TEST(WalFile, transaction_beyond_the_buffer_is_written_in_pieces) {
    if (write_calls() < 0) GTEST_SKIP() << "this system does not count write calls";
    const temp_dir folder;
    const auto db = open_ours(folder / "a.db");
    make_table(*db, 4000);  // 2 MB
    db->exec("begin immediate; update t set w=w+1");
    const auto before = write_calls();

    db->exec("commit");

    EXPECT_GT(write_calls() - before, 4);
    EXPECT_LT(write_calls() - before, 16);
    EXPECT_EQ(integrity_of(folder / "a.db"), "ok");
}

/// The mapping reaches far beyond the file: touching what is not there would be a signal.
TEST(WalFile, read_beyond_the_end_is_short_and_filled_with_zeros) {
    const temp_dir folder;
    const auto db = open_ours(folder / "a.db");
    make_table(*db, 10);
    sqlite3_file* log = nullptr;
    sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                         static_cast<void*>(&log));
    sqlite3_int64 end = 0;
    ASSERT_EQ(log->pMethods->xFileSize(log, &end), SQLITE_OK);
    std::string page(4096, 'x');
    const auto read_at = [&](sqlite3_int64 offset) {
        page.assign(page.size(), 'x');
        return log->pMethods->xRead(log, page.data(), static_cast<int>(page.size()), offset);
    };

    EXPECT_EQ(read_at(end - 4096), SQLITE_OK);
    EXPECT_EQ(read_at(end - 4095), SQLITE_IOERR_SHORT_READ);
    EXPECT_EQ(page.back(), '\0');
    EXPECT_EQ(read_at(end + (1 << 20)), SQLITE_IOERR_SHORT_READ);
    EXPECT_EQ(page, std::string(page.size(), '\0'));
}

TEST(WalFile, rolled_back_spill_leaves_what_others_commit_afterwards) {
    const temp_dir folder;
    const auto first = open_ours(folder / "a.db");
    make_table(*first, 300);
    const auto second = open_ours(folder / "a.db");
    first->exec(small_cache);
    first->exec("pragma wal_checkpoint(truncate)");
    first->exec("begin immediate; update t set v=replace(v,'0','x') where id<150; rollback");

    second->exec("update t set w=-w, v=replace(v,'0','y')");
    const auto wanted = content_of(*second);

    EXPECT_EQ(content_of(*first), wanted);
    EXPECT_EQ(first->text("pragma integrity_check"), "ok");
    EXPECT_EQ(second->text("pragma integrity_check"), "ok");
}

TEST(WalFile, spill_dropped_by_closing_leaves_what_others_commit_afterwards) {
    const temp_dir folder;
    auto first = open_ours(folder / "a.db");
    make_table(*first, 300);
    const auto second = open_ours(folder / "a.db");
    first->exec(small_cache);
    first->exec("pragma wal_checkpoint(truncate)");
    first->exec("begin immediate; update t set v=replace(v,'0','x') where id<150; rollback");

    second->exec("update t set w=-w, v=replace(v,'0','y')");
    const auto wanted = content_of(*second);
    first.reset();

    EXPECT_EQ(content_of(*open_stock(folder / "a.db")), wanted);
    EXPECT_EQ(integrity_of(folder / "a.db"), "ok");
}

/// The same random work on one of ours and on a stock copy.
class WalFileDifferential : public testing::TestWithParam<int> {};

void do_some(raw_database& db, random_numbers& random) {
    db.exec("begin immediate");
    for (int step = 0; step < 12; ++step) {
        const auto from = std::to_string(random.below(300));
        const auto number = std::to_string(random.below(100000));
        if (random.once_in(6)) db.exec("savepoint s");
        switch (random.below(4)) {
            case 0:
                db.exec("update t set w=w+" + number + " where id%7=" + from + "%7");
                break;
            case 1:
                db.exec("insert or replace into t values(" + from + "+300,printf('%0" +
                        std::to_string(200 + random.below(900)) + "d'," + number + ")," + number +
                        ")");
                break;
            case 2:
                db.exec("delete from t where id between " + from + " and " + from + "+5");
                break;
            default:
                db.exec("select count(*), sum(w), max(v) from t");
        }
        if (random.once_in(8)) static_cast<void>(db.try_exec("rollback to s"));
    }
    db.exec(random.once_in(4) ? "rollback" : "commit");
    if (random.once_in(5)) db.exec("pragma wal_checkpoint(passive)");
    if (random.once_in(9)) db.exec("pragma wal_checkpoint(restart)");
}

TEST_P(WalFileDifferential, random_spilling_transactions_equal_a_stock_copy) {
    const auto seed = test_seed();
    const temp_dir folder;
    const auto page_size = "pragma page_size=" + std::to_string(GetParam());
    const auto ours = open_ours(folder / "ours.db");
    const auto witness = open_ours(folder / "ours.db");
    const auto stock = open_stock(folder / "stock.db");
    for (auto* db : {ours.get(), stock.get()}) {
        db->exec(page_size);
        make_table(*db, 300);
        db->exec(small_cache);
    }
    random_numbers for_ours(seed);
    random_numbers for_stock(seed);

    for (int round = 0; round < 12; ++round) {
        do_some(*ours, for_ours);
        do_some(*stock, for_stock);
        const auto wanted = content_of(*stock);
        ASSERT_EQ(content_of(*ours), wanted) << "round " << round;
        ASSERT_EQ(content_of(*witness), wanted) << "round " << round;
    }

    EXPECT_EQ(ours->number("pragma page_size"), GetParam());
    EXPECT_EQ(witness->text("pragma integrity_check"), "ok");
    EXPECT_EQ(integrity_of(folder / "ours.db"), "ok");
}

INSTANTIATE_TEST_SUITE_P(PageSizes,
                         WalFileDifferential,
                         testing::Values(512, 1024, 4096, 16384, 65536));

}  // namespace
