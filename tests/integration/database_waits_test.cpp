// Waits that meet each other: threads that hold a snapshot and want more, closures that read, and
// locks of other programs. Nothing waits in a circle, and no deadline is overlooked.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using skiff::database;
using skiff::errc;
using skiff::transaction;

class Waits : public testing::Test {
  protected:
    void make_file() { raw_database(path).exec("create table t(x); insert into t values (1)"); }

    temp_dir folder;
    const std::filesystem::path path = folder / "app.db";
};

// Thread A                 thread B
// holds the only reader
//                          reads inside a write closure
// writes: waits for B
TEST_F(Waits, kb_c8_read_in_a_closure_ends_while_a_snapshot_waits_to_write) {
    auto db = database::open(path, {.readers = 1});
    db.exec("create table t(x)");
    latch_gate inside;
    int seen = -1;
    auto held = db.read();
    std::thread closure([&] {
        db.write([&](transaction&) {
            inside.pass();
            seen = db.one<int>("select count(*) from t");
        });
    });
    inside.wait_for_visitor();
    std::thread opener([&] {
        wait_until([&] { return callers_in_line(db) == 2; }, "the second writer to stand in line");
        inside.open();
    });

    db.exec("insert into t values (1)");
    closure.join();
    opener.join();

    EXPECT_EQ(seen, 0);
    EXPECT_EQ(held.one<int>("select count(*) from t"), 1);
}

TEST_F(Waits, kb_c8_second_snapshot_of_a_thread_needs_no_second_reader) {
    auto db = database::open(path, {.readers = 1});
    db.exec("create table t(x)");
    auto first = db.read();
    static_cast<void>(first.one<int>("select count(*) from t"));
    db.exec("insert into t values (1)");

    auto second = db.read();

    EXPECT_EQ(first.one<int>("select count(*) from t"), 0);
    EXPECT_EQ(second.one<int>("select count(*) from t"), 1);
    EXPECT_EQ(db.stats().readers_open, 2);
}

TEST_F(Waits, kb_c8_nested_reads_and_writes_of_many_threads_never_stall) {
    auto db = database::open(path, {.readers = 1});
    db.exec("create table t(x)");
    std::atomic<std::int64_t> longest_ns{0};
    const auto timed = [&](auto&& call) {
        const auto started = clock::now();
        call();
        const std::int64_t took = (clock::now() - started).count();
        auto longest = longest_ns.load();
        while (took > longest && !longest_ns.compare_exchange_weak(longest, took)) {
        }
    };
    const auto until = clock::now() + 1s;
    std::vector<std::thread> threads;
    for (int t = 0; t < 12; ++t) {
        threads.emplace_back([&, t] {
            while (clock::now() < until) {
                timed([&] {
                    auto snap = db.read();
                    static_cast<void>(snap.one<int>("select count(*) from t"));
                    if (t % 3 == 0) static_cast<void>(db.one<int>("select count(*) from t"));
                    if (t % 3 == 1) db.exec("insert into t values (1)");
                });
                if (t % 3 != 2) continue;
                timed([&] {
                    db.write([&](transaction& tx) {
                        tx.exec("insert into t values (2)");
                        auto snap = db.read();
                        static_cast<void>(snap.one<int>("select count(*) from t"));
                        static_cast<void>(db.one<int>("select count(*) from t"));
                    });
                });
            }
        });
    }
    for (auto& each : threads) each.join();

    // A circle would hold for ever; a machine under load gets some slack.
    EXPECT_LT(std::chrono::nanoseconds(longest_ns), 10s);
    EXPECT_EQ(db.stats().readers_open, 1);
}

TEST_F(Waits, callers_in_line_wait_for_a_foreign_lock_together) {
    auto db = database::open(path, {.busy_timeout = 400ms});
    db.exec("create table t(x)");
    raw_database other(path);
    other.exec("begin immediate");
    const auto started = clock::now();
    std::vector<std::thread> threads;
    std::atomic<int> busy{0};
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            busy += code_of([&] { db.exec("insert into t values (1)"); }) == errc::busy ? 1 : 0;
        });
    }
    for (auto& each : threads) each.join();
    const auto took = clock::now() - started;
    other.exec("rollback");

    EXPECT_EQ(busy.load(), 6);
    EXPECT_GE(took, 400ms);
    EXPECT_LT(took, 1200ms) << "one after the other they take 2400 ms";
    db.exec("insert into t values (1)");
}

TEST_F(Waits, caller_that_came_late_has_its_own_time_for_a_foreign_lock) {
    auto db = database::open(path, {.busy_timeout = 300ms});
    db.exec("create table t(x)");
    raw_database other(path);
    other.exec("begin immediate");
    EXPECT_EQ(code_of([&] { db.exec("insert into t values (1)"); }), errc::busy);

    const auto started = clock::now();
    const auto code = code_of([&] { db.exec("insert into t values (1)"); });

    EXPECT_EQ(code, errc::busy);
    EXPECT_GE(clock::now() - started, 300ms);
    other.exec("rollback");
}

TEST_F(Waits, deadline_cuts_the_opening_of_a_reader_under_a_foreign_lock) {
    make_file();
    auto db = database::open(path, {.journal = skiff::journal_mode::keep, .busy_timeout = 30s});
    raw_database other(path);
    other.exec("begin exclusive");
    const auto started = clock::now();

    const auto code = code_of([&] { return db.read({.deadline = 50ms}); });

    EXPECT_EQ(code, errc::timeout);
    EXPECT_LT(clock::now() - started, 10s);
}

TEST_F(Waits, stop_cuts_the_opening_of_a_reader_under_a_foreign_lock) {
    make_file();
    auto db = database::open(path, {.journal = skiff::journal_mode::keep, .busy_timeout = 30s});
    raw_database other(path);
    other.exec("begin exclusive");
    std::stop_source source;
    std::thread stopper([&] {
        const auto soon = clock::now() + 50ms;
        wait_until([&] { return clock::now() >= soon; }, "the reader to be opened");
        source.request_stop();
    });

    const auto code = code_of([&] { return db.read({.stop = source.get_token()}); });
    stopper.join();

    EXPECT_EQ(code, errc::interrupted);
}

TEST_F(Waits, deadline_cuts_a_read_under_a_foreign_lock_as_a_timeout) {
    make_file();
    auto db = database::open(path, {.journal = skiff::journal_mode::keep, .busy_timeout = 30s});
    static_cast<void>(db.one<int>("select x from t"));
    raw_database other(path);
    other.exec("begin exclusive");
    const auto started = clock::now();

    const auto failure = failure_of([&] {
        auto snap = db.read({.deadline = 50ms});
        return snap.one<int>("select x from t");
    });

    EXPECT_EQ(failure.code(), errc::timeout) << failure.what();
    EXPECT_LT(clock::now() - started, 10s);
}

}  // namespace
