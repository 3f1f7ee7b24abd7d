// Files that cannot be opened or are damaged: each a typed error that names the file, with nothing
// left open (KB-L2).
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::open_descriptors;
using skiff_test::raw_database;
using skiff_test::temp_dir;

namespace fs = std::filesystem;

/// Not so where a folder above is root's alone.
bool can_reach(const fs::path& path) {
    std::error_code denied;
    return fs::exists(path, denied);
}

skiff::error open_failure(const fs::path& path, const skiff::open_options& options = {}) {
    return failure_of([&] { return skiff::connection::open(path, options); });
}

void write_file(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

void overwrite(const fs::path& path, std::streamoff offset, const std::string& content) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset);
    file << content;
}

/// A database of some 60 pages in one file, without a log.
void make_database(const fs::path& path) {
    raw_database db(path);
    db.exec(
        "create table t(id integer primary key, x); create index i on t(x);"
        "insert into t(x) with recursive n(i) as (select 1 union all select i + 1 from n where "
        "i < 500) select hex(randomblob(100)) from n");
}

TEST(OpenFailure, file_that_is_no_database_is_told) {
    const temp_dir dir;
    write_file(dir / "a.db",
               "This is a text of more than a hundred bytes, but it is no database, "
               "whatever its name says about it, and it is left alone.");

    const auto failed = open_failure(dir / "a.db");

    EXPECT_EQ(failed.code(), skiff::errc::not_a_database);
    EXPECT_EQ(failed.message(), "file is not a database");
    EXPECT_EQ(failed.operation(), "open");
    EXPECT_EQ(failed.object(), (dir / "a.db").string());
    EXPECT_EQ(failed.advice(), "the file is encrypted or is no SQLite database");
    EXPECT_THROW(static_cast<void>(skiff::connection::open(dir / "a.db")), skiff::corrupt);
}

TEST(OpenFailure, no_database_is_found_at_open_in_every_mode) {
    const temp_dir dir;
    write_file(dir / "a.db", std::string(5000, 'x'));

    for (const auto mode : {skiff::open_mode::create, skiff::open_mode::read_only}) {
        for (const auto journal :
             {skiff::journal_mode::wal, skiff::journal_mode::rollback, skiff::journal_mode::keep}) {
            const auto failed = open_failure(dir / "a.db", {.mode = mode, .journal = journal});
            EXPECT_EQ(failed.code(), skiff::errc::not_a_database);
        }
    }
}

TEST(OpenFailure, directory_cannot_be_opened) {
    const temp_dir dir;

    const auto failed = open_failure(dir.path());

    EXPECT_EQ(failed.code(), skiff::errc::cannot_open);
    EXPECT_EQ(failed.object(), dir.path().string());
    EXPECT_EQ(failed.system_errno(), EISDIR);
    EXPECT_EQ(failed.advice(),
              "check that the directory exists and may be written, and that the "
              "name is not a directory");
}

TEST(OpenFailure, missing_directory_is_told_with_errno) {
    const temp_dir dir;

    const auto failed = open_failure(dir / "missing/a.db");

    EXPECT_EQ(failed.code(), skiff::errc::cannot_open);
    EXPECT_EQ(failed.message(), "unable to open database file");
    EXPECT_EQ(failed.object(), (dir / "missing/a.db").string());
    EXPECT_EQ(failed.system_errno(), ENOENT);
}

// KB-L2
TEST(OpenFailure, kb_l2_dangling_link_is_followed_or_told) {
    const temp_dir dir;
    fs::create_symlink(dir / "missing/a.db", dir / "link.db");
    fs::create_symlink(dir / "round.db", dir / "round.db");

    EXPECT_EQ(open_failure(dir / "link.db").code(), skiff::errc::cannot_open);
    EXPECT_EQ(open_failure(dir / "round.db").code(), skiff::errc::cannot_open);
}

// KB-L2
TEST(OpenFailure, kb_l2_failed_opens_leave_no_descriptor) {
    const temp_dir dir;
    write_file(dir / "text.db", std::string(5000, 'x'));
    static_cast<void>(open_failure(dir / "text.db"));
    const int before = open_descriptors();

    for (int i = 0; i < 50; ++i) {
        static_cast<void>(open_failure(dir / "text.db"));
        static_cast<void>(open_failure(dir / "missing/a.db"));
        static_cast<void>(open_failure(dir.path()));
    }

    EXPECT_EQ(open_descriptors(), before);
}

TEST(OpenFailure, nul_byte_in_a_name_is_refused) {
    const temp_dir dir;

    const auto failed = open_failure((dir / "a.db").string() + std::string("\0x", 2));

    EXPECT_EQ(failed.code(), skiff::errc::cannot_open);
    EXPECT_EQ(failed.message(), "a file name cannot hold a NUL byte");
    EXPECT_EQ(failed.object(), (dir / "a.db").string());
    EXPECT_FALSE(fs::exists(dir / "a.db"));
}

TEST(OpenFailure, name_that_is_too_long_is_told) {
    const temp_dir dir;

    EXPECT_EQ(open_failure(dir / std::string(300, 'x')).code(), skiff::errc::cannot_open);
    EXPECT_EQ(open_failure(dir / std::string(5000, 'x')).code(), skiff::errc::cannot_open);
}

TEST(OpenFailure, unknown_vfs_is_told) {
    const auto failed = open_failure(":memory:", {.vfs = "nowhere"});

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "no such vfs: nowhere");
}

TEST(OpenFailure, file_without_write_permission_is_refused_for_writing_only) {
    const temp_dir dir;
    fs::permissions(dir.path(), fs::perms::all);
    make_database(dir / "a.db");
    fs::permissions(dir / "a.db", fs::perms::owner_read | fs::perms::others_read);

    const auto result = skiff_test::run_in_child([&]() -> std::string {
        if (!skiff_test::drop_privileges()) return "root";
        if (!can_reach(dir / "a.db")) return "unreachable";
        const auto failed = open_failure(dir / "a.db");
        auto reader = skiff::connection::open(dir / "a.db", {.mode = skiff::open_mode::read_only});
        return std::string(skiff::name_of(failed.code())) + " " + std::string(failed.message()) +
               "; " + std::string(failed.advice()) + "; " +
               std::to_string(reader.one<int>("select count(*) from t"));
    });

    if (result.answer == "root") GTEST_SKIP() << "this process cannot give up root";
    if (result.answer == "unreachable") GTEST_SKIP() << "a folder above is closed to others";
    EXPECT_EQ(result.answer,
              "SQLITE_READONLY the file may only be read; change its permissions, or open it with "
              "open_mode::read_only; 500");
}

TEST(OpenFailure, folder_without_permission_is_told) {
    const temp_dir dir;
    fs::create_directory(dir / "closed");
    fs::permissions(dir / "closed", fs::perms::none);

    const auto result = skiff_test::run_in_child([&]() -> std::string {
        if (!skiff_test::drop_privileges()) return "root";
        const auto failed = open_failure(dir / "closed/a.db");
        return std::string(skiff::name_of(failed.code())) + " errno " +
               std::to_string(failed.system_errno());
    });

    if (result.answer == "root") GTEST_SKIP() << "this process cannot give up root";
    EXPECT_EQ(result.answer, "SQLITE_CANTOPEN errno " + std::to_string(EACCES));
    fs::permissions(dir / "closed", fs::perms::owner_all);
}

TEST(OpenFailure, truncated_file_is_corrupt) {
    const temp_dir dir;
    make_database(dir / "a.db");
    fs::resize_file(dir / "a.db", fs::file_size(dir / "a.db") / 2 + 100);

    const auto failed = open_failure(dir / "a.db");

    EXPECT_EQ(failed.code(), skiff::errc::corrupt);
    EXPECT_EQ(failed.message(), "database disk image is malformed");
    EXPECT_EQ(failed.object(), (dir / "a.db").string());
    EXPECT_EQ(failed.advice(), "run 'skiff check' on the file and restore from a backup");
}

TEST(OpenFailure, header_alone_is_an_error) {
    const temp_dir dir;
    make_database(dir / "a.db");
    fs::resize_file(dir / "a.db", 50);

    EXPECT_THROW(static_cast<void>(skiff::connection::open(dir / "a.db")), skiff::corrupt);
}

TEST(OpenFailure, damage_in_the_middle_is_corrupt_where_it_is_met) {
    const temp_dir dir;
    make_database(dir / "a.db");
    // The second page is the root of t.
    overwrite(dir / "a.db", 4096, std::string(4096, '\xff'));

    auto cx = skiff::connection::open(dir / "a.db", {.journal = skiff::journal_mode::keep});

    const auto failed =
        failure_of([&] { return cx.one<int>("select sum(id) from t not indexed"); });
    EXPECT_EQ(failed.code(), skiff::errc::corrupt);
    EXPECT_EQ(failed.operation(), "step");
    EXPECT_EQ(failed.sql(), "select sum(id) from t not indexed");
    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema"), 2);
}

TEST(OpenFailure, schema_that_cannot_be_read_is_corrupt) {
    const temp_dir dir;
    make_database(dir / "a.db");
    {
        raw_database db(dir / "a.db");
        db.exec("pragma writable_schema = on; update sqlite_schema set sql = 'create nonsense'");
    }

    const auto failed = failure_of(
        [&] { return skiff::connection::open(dir / "a.db").one<int>("select count(*) from t"); });

    EXPECT_EQ(failed.code(), skiff::errc::corrupt);
    EXPECT_NE(failed.message().find("malformed database schema"), std::string_view::npos);
}

TEST(OpenFailure, empty_file_becomes_a_database) {
    const temp_dir dir;
    write_file(dir / "a.db", "");

    auto cx = skiff::connection::open(dir / "a.db", {.mode = skiff::open_mode::read_write});
    cx.exec("create table t(x)");

    EXPECT_EQ(skiff_test::integrity_of(dir / "a.db"), "ok");
}

}  // namespace
