// Databases in memory with several connections (KB-C5): shared by one object's connections, and by
// nothing else; names that mean something else to each connection are refused.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::errc;
using skiff::transaction;

TEST(MemoryDatabase, kb_c5_all_readers_see_the_table) {
    auto db = database::open(":memory:", {.readers = 4});
    db.exec("create table t(x)");
    db.exec("insert into t values (42)");
    std::atomic<int> seen{0};
    latch_gate all_hold_one;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            auto snap = db.read();
            seen += snap.one<int>("select x from t");
            all_hold_one.pass();
        });
    }
    wait_until([&] { return seen.load() == 4 * 42; }, "four readers");
    all_hold_one.open();
    for (auto& each : threads) each.join();

    EXPECT_EQ(seen.load(), 4 * 42);
    EXPECT_EQ(db.stats().readers_open, 4);
}

TEST(MemoryDatabase, kb_c5_two_share_nothing) {
    auto first = database::open(":memory:");
    auto second = database::open(":memory:");

    first.exec("create table t(x)");

    EXPECT_EQ(first.one<int>("select count(*) from sqlite_schema"), 1);
    EXPECT_EQ(second.one<int>("select count(*) from sqlite_schema"), 0);
}

TEST(MemoryDatabase, kb_c5_is_gone_when_closed) {
    auto db = database::open(":memory:");
    db.exec("create table t(x)");
    db.close();

    db = database::open(":memory:");

    EXPECT_EQ(db.one<int>("select count(*) from sqlite_schema"), 0);
}

TEST(MemoryDatabase, kb_c5_temporary_database_is_refused_with_advice) {
    const auto failure = failure_of([] { return database::open(""); });

    EXPECT_EQ(failure.code(), errc::unsupported);
    EXPECT_FALSE(failure.advice().empty());
}

TEST(MemoryDatabase, kb_c5_uri_is_a_file_name) {
    const temp_dir folder;
    const auto name = folder / "file:x?mode=memory";
    auto db = database::open(name);

    db.exec("create table t(x)");

    EXPECT_EQ(db.one<int>("select count(*) from sqlite_schema"), 1);
    EXPECT_TRUE(std::filesystem::exists(name));
}

TEST(MemoryDatabase, makes_no_file) {
    const skiff_test::temp_dir folder;
    const auto home = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());  // of its own: other tests run beside this one
    auto db = database::open(":memory:");

    db.exec("create table t(x)");
    static_cast<void>(db.one<int>("select count(*) from t"));
    const bool empty = std::filesystem::is_empty(".");
    std::filesystem::current_path(home);

    EXPECT_TRUE(empty);
}

TEST(MemoryDatabase, snapshot_holds_its_state) {
    auto db = database::open(":memory:", {.busy_timeout = 50ms});
    db.exec("create table t(x)");
    auto snap = std::make_optional(db.read());
    EXPECT_EQ(snap->one<int>("select count(*) from t"), 0);

    // Memory databases have no log: a writer waits for readers, and readers keep their state.
    const auto code = code_of([&] { db.exec("insert into t values (1)"); });
    const int seen = snap->one<int>("select count(*) from t");
    snap.reset();
    db.exec("insert into t values (2)");

    EXPECT_EQ(code, errc::busy);
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(db.all<int>("select x from t"), (std::vector{2}));
}

TEST(MemoryDatabase, threads_that_write_and_read_are_never_busy) {
    auto db = database::open(":memory:", {.readers = 4});
    db.exec("create table counter(n)");
    db.exec("insert into counter values (0)");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) {
                const auto wrote = ending_of([&] { db.exec("update counter set n = n + 1"); });
                EXPECT_TRUE(wrote.ok) << wrote;
                const auto read =
                    ending_of([&] { static_cast<void>(db.one<int>("select n from counter")); });
                EXPECT_TRUE(read.ok) << read;
            }
        });
    }

    for (auto& each : threads) each.join();

    EXPECT_EQ(db.one<int>("select n from counter"), 400);
}

TEST(MemoryDatabase, batches_and_failures_work_as_in_a_file) {
    auto db = database::open(":memory:");
    db.exec("create table t(id integer primary key)");
    write_line line(db);
    line.add([&] { db.exec("insert into t values (1)"); });
    line.add([&] {
        db.write([](transaction& tx) {
            tx.exec("insert into t values (2)");
            tx.exec("insert into t values (1)");
        });
    });
    line.add([&] { db.exec("insert into t values (3)"); });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (std::vector<std::string>{"ok", "SQLITE_CONSTRAINT", "ok"}));
    EXPECT_EQ(db.all<int>("select id from t order by id"), (std::vector{1, 3}));
}

}  // namespace
