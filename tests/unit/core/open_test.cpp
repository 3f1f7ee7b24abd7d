// Opening: the safe defaults and how each is changed, names that are taken literally, URIs, private
// memory databases, and the busy timeout that is set before anything else.
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace {

using namespace std::chrono_literals;
using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::raw_database;
using skiff_test::temp_dir;

int db_config(const skiff::connection& cx, int option) {
    int value = -1;
    sqlite3_db_config(cx.native_handle(), option, -1, &value);
    return value;
}

int pragma(skiff::connection& cx, const std::string& name) {
    return cx.one<int>("pragma " + name);
}

TEST(Open, defaults_are_the_safe_ones) {
    const temp_dir dir;

    auto cx = skiff::connection::open(dir / "a.db");

    EXPECT_EQ(cx.one<std::string>("pragma journal_mode"), "wal");
    EXPECT_EQ(pragma(cx, "synchronous"), 2);
    EXPECT_EQ(pragma(cx, "busy_timeout"), 5000);
    EXPECT_EQ(pragma(cx, "foreign_keys"), 1);
    EXPECT_EQ(pragma(cx, "trusted_schema"), 0);
    EXPECT_EQ(db_config(cx, SQLITE_DBCONFIG_DQS_DML), 0);
    EXPECT_EQ(db_config(cx, SQLITE_DBCONFIG_DQS_DDL), 0);
    EXPECT_GT(cx.one<long long>("pragma mmap_size"), 0);
    EXPECT_EQ(cx.cache_stats().capacity, 128U);
}

TEST(Open, every_option_can_be_changed) {
    const temp_dir dir;

    auto cx = skiff::connection::open(dir / "a.db", {.journal = skiff::journal_mode::rollback,
                                                     .durability = skiff::durability::normal,
                                                     .busy_timeout = 77ms,
                                                     .foreign_keys = false,
                                                     .trusted_schema = true,
                                                     .double_quoted_strings = true,
                                                     .statement_cache_size = 3,
                                                     .page_cache_kib = 1234,
                                                     .mmap_bytes = 1 << 20});

    EXPECT_EQ(cx.one<std::string>("pragma journal_mode"), "delete");
    EXPECT_EQ(pragma(cx, "synchronous"), 1);
    EXPECT_EQ(pragma(cx, "busy_timeout"), 77);
    EXPECT_EQ(pragma(cx, "foreign_keys"), 0);
    EXPECT_EQ(pragma(cx, "trusted_schema"), 1);
    EXPECT_EQ(cx.one<std::string>("select \"abc\""), "abc");
    EXPECT_EQ(pragma(cx, "cache_size"), -1234);
    EXPECT_EQ(cx.one<long long>("pragma mmap_size"), 1 << 20);
    EXPECT_EQ(cx.cache_stats().capacity, 3U);
}

TEST(Open, foreign_keys_are_enforced) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec_script("create table p(id integer primary key); create table c(p references p);");

    const auto failed = failure_of([&] { cx.exec("insert into c values (5)"); });

    EXPECT_EQ(failed.code(), skiff::errc::constraint);
    EXPECT_EQ(failed.extended_code(), SQLITE_CONSTRAINT_FOREIGNKEY);
}

TEST(Open, durability_off_must_be_asked_for_twice) {
    const temp_dir dir;

    const auto failed = failure_of([&] {
        return skiff::connection::open(dir / "a.db", {.durability = skiff::durability::off});
    });
    auto cx = skiff::connection::open(
        dir / "a.db", {.durability = skiff::durability::off, .allow_durability_off = true});

    EXPECT_EQ(failed.code(), skiff::errc::refused);
    EXPECT_EQ(failed.operation(), "open");
    EXPECT_EQ(failed.advice(), "set allow_durability_off as well if that is what you want");
    EXPECT_EQ(pragma(cx, "synchronous"), 0);
}

TEST(Open, journal_mode_keep_leaves_the_file_as_it_is) {
    const temp_dir dir;
    raw_database(dir / "a.db").exec("pragma journal_mode = persist; create table t(x)");
    raw_database(dir / "b.db").exec("pragma journal_mode = wal; create table t(x)");

    auto plain = skiff::connection::open(dir / "a.db", {.journal = skiff::journal_mode::keep});
    auto wal = skiff::connection::open(dir / "b.db", {.journal = skiff::journal_mode::keep});

    EXPECT_EQ(plain.one<std::string>("pragma journal_mode"), "delete");
    EXPECT_EQ(wal.one<std::string>("pragma journal_mode"), "wal");
}

TEST(Open, rollback_mode_takes_a_file_out_of_wal) {
    const temp_dir dir;
    skiff::connection::open(dir / "a.db").exec("create table t(x)");

    auto cx = skiff::connection::open(dir / "a.db", {.journal = skiff::journal_mode::rollback});

    EXPECT_EQ(cx.one<std::string>("pragma journal_mode"), "delete");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
    EXPECT_FALSE(std::filesystem::exists(dir / "a.db-wal"));
}

TEST(Open, memory_databases_are_private) {
    auto first = skiff::connection::open(":memory:");
    auto second = skiff::connection::open(":memory:");
    auto third = skiff::connection::open("");
    auto fourth = skiff::connection::open("");

    for (auto* cx : {&first, &second, &third, &fourth}) {
        cx->exec("create table t(x)");
        cx->exec("insert into t values (1)");
        EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    }
    EXPECT_FALSE(std::filesystem::exists(":memory:"));
}

TEST(Open, read_write_needs_a_file_that_exists) {
    const temp_dir dir;

    const auto failed = failure_of([&] {
        return skiff::connection::open(dir / "a.db", {.mode = skiff::open_mode::read_write});
    });

    EXPECT_EQ(failed.code(), skiff::errc::cannot_open);
    EXPECT_EQ(failed.object(), (dir / "a.db").string());
    EXPECT_FALSE(std::filesystem::exists(dir / "a.db"));
}

TEST(Open, read_only_reads_and_does_not_write) {
    const temp_dir dir;
    skiff::connection::open(dir / "a.db").exec("create table t(x)");
    auto cx = skiff::connection::open(dir / "a.db", {.mode = skiff::open_mode::read_only});

    const auto failed = failure_of([&] { cx.exec("insert into t values (1)"); });

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
    EXPECT_EQ(failed.code(), skiff::errc::read_only);
    EXPECT_EQ(failed.message(), "attempt to write a readonly database");
    EXPECT_EQ(failed.sql(), "insert into t values (1)");
    EXPECT_EQ(failed.advice(),
              "the file, its directory or the connection does not allow writing; a snapshot only "
              "reads: write with database::exec or database::write");
}

// KB-L2
TEST(Open, kb_l2_names_with_special_characters_make_exactly_that_file) {
    const temp_dir dir;
    const auto folder = dir.path();

    for (const std::string name : {"käse und 日本.db", "a?b#c%20.db", "file:x.db", "a&mode=ro",
                                   "a'b\"c;d.db", " ", "file:m?mode=memory", "new\nline"}) {
        {
            auto cx = skiff::connection::open(folder / name);
            cx.exec("create table t(x)");
            EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
            EXPECT_TRUE(std::filesystem::exists(folder / (name + "-wal"))) << name;
            EXPECT_EQ(cx.path(), folder / name);
        }
        EXPECT_TRUE(std::filesystem::remove(folder / name)) << name;
        EXPECT_TRUE(std::filesystem::is_empty(folder)) << name;
    }
}

// KB-L2: the same names, relative, so that nothing stands before "file:".
TEST(Open, kb_l2_relative_name_that_looks_like_a_uri_is_a_file) {
    const temp_dir dir;

    const auto result = skiff_test::run_in_child([&]() -> std::string {
        std::filesystem::current_path(dir.path());
        skiff::connection::open("file:a.db?mode=memory").exec("create table t(x)");
        skiff::connection::open(std::filesystem::path(u8"file:ö")).exec("create table t(x)");
        skiff::connection::open_uri("file:b.db").vacuum_into("file:copy.db?mode=memory");
        return "done";
    });

    EXPECT_EQ(result.answer, "done");
    EXPECT_TRUE(std::filesystem::exists(dir / "file:a.db?mode=memory"));
    EXPECT_TRUE(std::filesystem::exists(dir / "file:ö"));
    EXPECT_TRUE(std::filesystem::exists(dir / "b.db"));
    EXPECT_TRUE(std::filesystem::exists(dir / "file:copy.db?mode=memory"));
}

TEST(Open, uri_is_read_only_by_open_uri) {
    const temp_dir dir;
    const auto plain = (dir / "a b.db").string();
    skiff::connection::open(plain).exec("create table t(x)");
    const std::string uri = "file:" + (dir / "a%20b.db").string() + "?mode=ro";

    auto cx = skiff::connection::open_uri(uri, {.mode = skiff::open_mode::read_only});
    auto shared = skiff::connection::open_uri("file:x?mode=memory");

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
    EXPECT_EQ(code_of([&] { cx.exec("insert into t values (1)"); }), skiff::errc::read_only);
    EXPECT_EQ(shared.path(), "");
    EXPECT_EQ(code_of([&] { return skiff::connection::open_uri("file:x?vfs=nowhere"); }),
              skiff::errc::generic);
}

TEST(Open, busy_timeout_holds_for_opening_itself) {
    const temp_dir dir;
    raw_database(dir / "a.db").exec("create table t(x)");
    skiff_test::child_process locker([&](skiff_test::child_channel& parent) -> std::string {
        raw_database stock(dir / "a.db");
        stock.exec("begin exclusive");
        parent.signal();
        return parent.wait() ? "released" : "left alone";
    });
    ASSERT_TRUE(locker.wait());
    const auto start = std::chrono::steady_clock::now();

    const auto failed =
        failure_of([&] { return skiff::connection::open(dir / "a.db", {.busy_timeout = 100ms}); });

    const auto waited = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.operation(), "open");
    EXPECT_EQ(failed.object(), (dir / "a.db").string());
    EXPECT_EQ(failed.advice(),
              "another connection holds the lock: retry later, or open with a "
              "longer busy_timeout");
    EXPECT_GE(waited, 90ms);
    EXPECT_LT(waited, 3s);
    locker.signal();
    EXPECT_EQ(locker.join().answer, "released");
    EXPECT_EQ(skiff::connection::open(dir / "a.db").one<int>("select count(*) from t"), 0);
}

TEST(Open, busy_timeout_of_any_length_is_taken) {
    constexpr std::chrono::milliseconds a_month = std::chrono::hours(30 * 24);
    for (const auto timeout : {std::chrono::milliseconds::max(), a_month}) {
        auto cx = skiff::connection::open(":memory:", {.busy_timeout = timeout});
        EXPECT_EQ(cx.one<int>("pragma busy_timeout"), 2147483647);
    }
    auto impatient = skiff::connection::open(":memory:", {.busy_timeout = -1ms});
    EXPECT_EQ(impatient.one<int>("pragma busy_timeout"), 0);
}

}  // namespace
