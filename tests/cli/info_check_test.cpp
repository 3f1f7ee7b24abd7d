// `skiff info` and `skiff check`: what they print, and that they tell damage from an unreadable
// file.
#include "cli/run_cli.hpp"

#include <skiff/connection.hpp>
#include <skiff/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace skiff_test {
namespace {

using testing::HasSubstr;

class InfoCheck : public cli_test {
  protected:
    InfoCheck() {
        auto db = open();
        db.exec_script(
            "pragma user_version = 7; pragma application_id = 42;"
            "create table item(id integer primary key, name text unique, size int);"
            "create index item_size on item(size);"
            "create table note(item integer references item(id));"
            "insert into item values (1, 'cup', 3), (2, 'mug', 5)");
    }
    skiff::connection open() {
        skiff::open_options options;
        options.journal = skiff::journal_mode::rollback;
        options.foreign_keys = false;
        return skiff::connection::open(folder() / "a.db", options);
    }
    /// All that is in the folder and below.
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& each : std::filesystem::recursive_directory_iterator(folder())) {
            found.insert(each.path().lexically_relative(folder()).string());
        }
        return found;
    }
    /// Overwrites the middle of the page that holds the b-tree called `name`.
    void damage(const std::string& name) {
        auto db = open();
        const auto page = db.one<int>("select rootpage from sqlite_schema where name = ?", name);
        const auto bytes = db.one<int>("pragma page_size");
        db.close();
        std::fstream file(folder() / "a.db", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp((page - 1) * bytes);
        file << std::string(static_cast<std::size_t>(bytes), '\x55');
    }
};

TEST_F(InfoCheck, info_prints_the_file_and_its_tables) {
    EXPECT_EQ(output_of({"info", "a.db"}), std::string("file            a.db\n"
                                                       "size            20 KiB (20,480 bytes)\n"
                                                       "wal             none\n"
                                                       "pages           5 of 4096 bytes, 0 free\n"
                                                       "journal mode    delete\n"
                                                       "encoding        UTF-8\n"
                                                       "user version    7\n"
                                                       "application id  42\n"
                                                       "read by         skiff ") +
                                               skiff::library_version() + ", SQLite " +
                                               skiff::sqlite_version() +
                                               ", VFS skiff\n\n"
                                               "table  rows  indexes\n"
                                               "item      2        2\n"
                                               "note      0        0\n");
}

TEST_F(InfoCheck, info_as_json_holds_the_same) {
    const auto text = output_of({"info", "a.db", "--json", "--fast"});
    EXPECT_THAT(text, testing::StartsWith("{\"path\":\"a.db\",\"bytes\":20480,\"wal_bytes\":0,"
                                          "\"page_size\":4096,\"page_count\":5,"));
    EXPECT_THAT(text, HasSubstr("\"tables\":[{\"name\":\"item\",\"type\":\"table\",\"rows\":null,"
                                "\"indexes\":2},"));
}

TEST_F(InfoCheck, info_and_check_do_not_change_the_file) {
    const auto before = content_of("a.db");
    output_of({"info", "a.db"});
    output_of({"check", "a.db"});
    EXPECT_EQ(content_of("a.db"), before);
    EXPECT_FALSE(std::filesystem::exists(folder() / "a.db-journal"));
}

TEST_F(InfoCheck, info_tells_the_size_of_the_wal) {
    auto db = skiff::connection::open(folder() / "w.db");
    db.exec("create table t(x)");
    EXPECT_THAT(output_of({"info", "w.db"}), HasSubstr("wal             8.1 KiB\n"));
}

TEST_F(InfoCheck, info_reads_a_database_that_is_being_written) {
    auto db = skiff::connection::open(folder() / "w.db");
    db.exec("create table t(x)");
    auto writing = db.begin();
    writing.exec("insert into t values (1)");
    EXPECT_THAT(output_of({"info", "w.db"}), HasSubstr("t         0        0\n"));
}

// -- the directory in WAL mode

TEST_F(InfoCheck, wal_files_that_were_not_there_are_gone_afterwards) {
    skiff::connection::open(folder() / "w.db").exec("create table t(x)");
    const auto before = names();

    output_of({"info", "w.db"});
    EXPECT_EQ(names(), before);
    output_of({"check", "w.db"});
    EXPECT_EQ(names(), before);
}

TEST_F(InfoCheck, wal_files_of_a_file_behind_a_link_are_gone_afterwards) {
    std::filesystem::create_directory(folder() / "real");
    skiff::connection::open(folder() / "real" / "w.db").exec("create table t(x)");
    std::filesystem::create_symlink("real/w.db", folder() / "link.db");
    const auto before = names();

    output_of({"info", "link.db"});

    EXPECT_EQ(names(), before);
}

TEST_F(InfoCheck, log_that_nobody_has_open_is_read_and_left_as_it_was) {
    std::filesystem::create_directory(folder() / "copy");
    {
        auto db = skiff::connection::open(folder() / "w.db");
        db.exec_script("create table t(x); insert into t values (1)");
        // What a crash leaves, or a backup that copies files: a log without its index.
        for (const char* name : {"w.db", "w.db-wal"}) {
            std::filesystem::copy_file(folder() / name, folder() / "copy" / name);
        }
    }
    const auto before = names();
    const auto file = content_of("copy/w.db");
    const auto log = content_of("copy/w.db-wal");
    ASSERT_FALSE(log.empty());

    EXPECT_THAT(output_of({"info", "copy/w.db"}), HasSubstr("t         1        0\n"));
    EXPECT_EQ(output_of({"check", "copy/w.db"}), "ok\n");

    EXPECT_EQ(names(), before);
    EXPECT_EQ(content_of("copy/w.db"), file);
    EXPECT_EQ(content_of("copy/w.db-wal"), log);
}

TEST_F(InfoCheck, files_of_a_database_that_somebody_has_open_stay) {
    auto db = skiff::connection::open(folder() / "w.db");
    db.exec("create table t(x)");
    const auto before = names();
    const auto log = content_of("w.db-wal");

    output_of({"info", "w.db"});
    output_of({"check", "w.db"});

    EXPECT_EQ(names(), before);
    EXPECT_EQ(content_of("w.db-wal"), log);
    db.exec("insert into t values (1)");
    EXPECT_EQ(db.one<int>("select count(*) from t"), 1);
}

TEST_F(InfoCheck, damaged_wal_file_leaves_nothing_behind) {
    skiff::connection::open(folder() / "w.db").exec("create table t(x)");
    std::fstream file(folder() / "w.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file << std::string(200, '\x55');
    file.close();
    const auto before = names();

    EXPECT_NE(run({"info", "w.db"}).exit_code, 0);
    EXPECT_EQ(run({"check", "w.db"}).exit_code, 4);

    EXPECT_EQ(names(), before);
}

TEST_F(InfoCheck, check_of_a_sound_file_says_ok) {
    EXPECT_EQ(output_of({"check", "a.db"}), "ok\n");
    EXPECT_EQ(output_of({"check", "a.db", "--quick"}), "ok\n");
    EXPECT_EQ(output_of({"check", "a.db", "--json"}),
              "{\"ok\":true,\"damage\":[],\"foreign_keys\":[],\"foreign_key_count\":0}\n");
}

TEST_F(InfoCheck, check_finds_a_damaged_page) {
    damage("item");
    const auto done = run({"check", "a.db"});
    EXPECT_EQ(done.exit_code, 4);
    EXPECT_THAT(done.out, testing::StartsWith("damage: "));
}

TEST_F(InfoCheck, check_finds_an_index_that_differs_and_quick_does_not) {
    {
        auto db = open();
        db.exec_script(
            "create table t(x); insert into t values (1), (2), (3);"
            "pragma writable_schema = on;"
            "create index t_x on t(x);"
            "update sqlite_schema set sql = 'create index t_x on t(x + 1)'"
            " where name = 't_x'");
    }
    EXPECT_EQ(run({"check", "a.db", "--quick"}).exit_code, 0);
    const auto done = run({"check", "a.db", "--json"});
    EXPECT_EQ(done.exit_code, 4);
    EXPECT_THAT(done.out, HasSubstr("missing from index t_x"));
}

TEST_F(InfoCheck, check_finds_foreign_keys_without_a_parent) {
    open().exec("insert into note(rowid, item) values (3, 99)");
    const auto done = run({"check", "a.db"});
    EXPECT_EQ(done.exit_code, 4);
    EXPECT_EQ(done.out, "foreign key: table note, row 3: no such row in item\n");
    EXPECT_EQ(run({"check", "a.db", "--json"}).out,
              "{\"ok\":false,\"damage\":[],\"foreign_keys\":[{\"table\":\"note\",\"rowid\":3,"
              "\"parent\":\"item\"}],\"foreign_key_count\":1}\n");
}

TEST_F(InfoCheck, check_prints_a_hundred_findings_and_counts_the_rest) {
    open().exec(
        "insert into note(item) with recursive c(x) as (select 100 union all select x + 1 from c"
        " where x < 349) select x from c");
    const auto done = run({"check", "a.db"});
    EXPECT_EQ(done.exit_code, 4);
    EXPECT_THAT(done.out, HasSubstr("150 further foreign keys do not hold\n"));
}

TEST_F(InfoCheck, file_that_is_no_database_exits_with_3) {
    put("note.txt", std::string(5000, 'x'));
    EXPECT_EQ(run({"check", "note.txt"}).exit_code, 3);
    EXPECT_EQ(run({"info", "note.txt"}).exit_code, 3);
}

TEST_F(InfoCheck, file_that_is_missing_exits_with_3_and_is_not_made) {
    EXPECT_EQ(run({"check", "nope.db"}).exit_code, 3);
    EXPECT_EQ(run({"info", "nope.db"}).err, "skiff: nope.db: there is no such file\n");
    EXPECT_FALSE(std::filesystem::exists(folder() / "nope.db"));
}

}  // namespace
}  // namespace skiff_test
