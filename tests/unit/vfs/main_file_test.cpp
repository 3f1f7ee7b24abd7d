// The database file of a connection: pages read from the mapping while others make the file longer
// and shorter, and the size that is remembered while the log is empty.
#include "vfs/main_file.hpp"

#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;

std::string insert_of(int first, int rows, int bytes) {
    return "with recursive n(i) as (select " + std::to_string(first) +
           " union all select i+1 from n where i<" + std::to_string(first + rows - 1) +
           ") insert into t select i, hex(randomblob(" + std::to_string(bytes / 2) + ")) from n";
}

std::string content_of(raw_database& db) {
    return db.text(
        "select count(*)||':'||total(length(v))||':'||group_concat(substr(v,1,4),'')"
        " from (select * from t order by id)");
}

sqlite3_int64 read_all(raw_database& db) {
    sqlite3_int64 bytes = 0;
    sqlite3_free(sqlite3_serialize(db.handle(), "main", &bytes, 0));
    return bytes;
}

class MainFile : public testing::TestWithParam<bool> {
  protected:
    /// Ours, mapped or not, on a database that nobody else has open; its log is empty.
    [[nodiscard]] std::unique_ptr<raw_database> open_fresh() const {
        auto db = open_ours(path);
        db->exec("pragma busy_timeout=20000");
        if (GetParam()) db->exec("pragma mmap_size=268435456");
        return db;
    }
    static void run_elsewhere(const std::filesystem::path& path, const std::string& sql) {
        const auto told = run_in_child([&] {
            const auto db = open_stock(path);
            db->exec("pragma busy_timeout=20000");
            db->exec(sql);
            return std::string("done");
        });
        ASSERT_EQ(told.answer, "done");
    }
    void SetUp() override {
        const auto told = run_in_child([this] {
            const auto db = open_stock(path);
            db->exec("pragma journal_mode=wal; create table t(id integer primary key, v text);" +
                     insert_of(1, 400, 3000));
            return std::string("made");
        });
        ASSERT_EQ(told.answer, "made");
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
};

TEST_P(MainFile, size_remembered_with_an_empty_log_follows_what_others_write) {
    const auto db = open_fresh();
    const auto stock_content = [&] {
        return run_in_child([&] { return content_of(*open_stock(path)); }).answer;
    };
    ASSERT_EQ(db->number("select count(*) from t"), 400);
    ASSERT_EQ(db->number("select count(*) from t"), 400);

    run_elsewhere(path, insert_of(1000, 300, 3000));
    EXPECT_EQ(content_of(*db), stock_content());
    run_elsewhere(path, "pragma wal_checkpoint(truncate)");
    EXPECT_EQ(content_of(*db), stock_content());
    run_elsewhere(path, "delete from t where id%10; vacuum; pragma wal_checkpoint(truncate)");
    EXPECT_EQ(content_of(*db), stock_content());
    run_elsewhere(path, insert_of(2000, 900, 3000) + "; pragma wal_checkpoint(truncate)");
    EXPECT_EQ(content_of(*db), stock_content());

    EXPECT_EQ(db->text("pragma integrity_check"), "ok");
}

TEST_P(MainFile, database_emptied_and_filled_in_rollback_mode_is_seen_right) {
    auto first = open_fresh();
    first->exec("pragma journal_mode=delete");
    const auto second = open_fresh();

    for (int round = 0; round < 10; ++round) {
        first->exec(insert_of(10000 + round * 1000, 200, 3000));
        ASSERT_EQ(content_of(*second), content_of(*first));
        second->exec("delete from t where id>=10000; vacuum");
        ASSERT_EQ(content_of(*second), content_of(*first));
    }

    EXPECT_EQ(first->text("pragma integrity_check"), "ok");
}

/// What of the mapping was once in the file must not be touched any more.
TEST_P(MainFile, pages_beyond_the_end_of_a_shrunk_file_come_from_the_log) {
    const auto told = run_in_child([&] {
        const auto db = open_fresh();
        db->exec("select count(*) from t; select sum(length(v)) from t");
        static_cast<void>(read_all(*db));
        run_elsewhere(path, "delete from t where id>5; vacuum; pragma wal_checkpoint(truncate)");
        run_elsewhere(path, "begin; " + insert_of(1000, 300, 3000) +
                                "; delete from t where id>=1000; commit");
        const auto bytes = read_all(*db);
        const bool grown = static_cast<std::uintmax_t>(bytes) > std::filesystem::file_size(path);
        return std::string(grown ? "beyond the file" : "within the file");
    });

    EXPECT_EQ(told.signal, 0);
    EXPECT_EQ(told.answer, "beyond the file");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 5);
}

TEST_P(MainFile, incremental_vacuum_under_readers_keeps_their_snapshot) {
    auto writer = open_fresh();
    writer->exec("pragma auto_vacuum=incremental; vacuum");
    const auto reader = open_fresh();
    const auto before = content_of(*reader);
    reader->exec("begin; select count(*) from t");

    writer->exec("delete from t where id>100; pragma incremental_vacuum");
    static_cast<void>(writer->try_exec("pragma busy_timeout=0; pragma wal_checkpoint(truncate)"));

    EXPECT_EQ(content_of(*reader), before);
    reader->exec("commit");
    writer->exec("pragma busy_timeout=20000; pragma wal_checkpoint(truncate)");
    EXPECT_EQ(content_of(*reader), content_of(*writer));
    EXPECT_EQ(reader->text("pragma integrity_check"), "ok");
}

INSTANTIATE_TEST_SUITE_P(Mapped, MainFile, testing::Bool(), [](const auto& given) {
    return std::string(given.param ? "mapped" : "read");
});

bool is_mapped(const raw_database& db) {
    skiff::vfs::vfs_status status;
    sqlite3_file_control(db.handle(), "main", skiff::vfs::fcntl_status, &status);
    return status.maps_database;
}

/// Programs that know nothing of mappings, with a page cache too small to be of use.
class UnchangedProgram : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open(const std::string& parameters = {}) const {
        auto db = open_ours(path, parameters);
        db->exec("pragma journal_mode=wal; pragma synchronous=normal; pragma cache_size=3");
        return db;
    }
    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
};

TEST_F(UnchangedProgram, pages_are_copied_from_the_mapping_once_it_has_read_some) {
    open()->exec("create table t(id integer primary key, v text);" + insert_of(1, 300, 3000));
    const auto db = open();
    EXPECT_FALSE(is_mapped(*db));

    const auto first = content_of(*db);

    EXPECT_TRUE(is_mapped(*db));
    EXPECT_EQ(content_of(*db), first);
    EXPECT_EQ(content_of(*open_stock(path)), first);
}

TEST_F(UnchangedProgram, pages_that_came_later_are_right) {
    const auto db = open();
    db->exec("create table t(id integer primary key, v text)");
    const auto other = open_stock(path);
    for (int round = 0; round < 8; ++round) {
        other->exec(insert_of(1 + round * 100, 100, 3000));
        other->exec("pragma wal_checkpoint(passive)");
        ASSERT_EQ(content_of(*db), content_of(*other)) << round;
    }
    other->exec("delete from t where id>100; vacuum; pragma wal_checkpoint(truncate)");

    EXPECT_EQ(content_of(*db), content_of(*other));
}

TEST_F(UnchangedProgram, mapping_can_be_turned_off) {
    open()->exec("create table t(id integer primary key, v text);" + insert_of(1, 300, 3000));
    const auto db = open("skiff_map=0");
    db->exec("pragma mmap_size=268435456");

    static_cast<void>(content_of(*db));

    EXPECT_FALSE(is_mapped(*db));
}

}  // namespace
