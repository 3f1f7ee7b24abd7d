// A database beside other programs: their locks, and what limits the wait for them; opening while
// they write (KB-L1); and forks of our own process (KB-L5).
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::errc;
using skiff::transaction;
using clock = std::chrono::steady_clock;

/// Another program that takes a lock, says so, and lets go when told.
child_process lock_holder(const std::filesystem::path& path, const std::string& how) {
    child_process holder([path, how](child_channel& parent) -> std::string {
        raw_database stock(path);
        sqlite3_busy_timeout(stock.handle(), 10'000);
        stock.exec(how);
        parent.signal();
        static_cast<void>(parent.wait());
        stock.exec("commit");
        return "released";
    });
    EXPECT_TRUE(holder.wait());
    return holder;
}

clock::duration time_of(const std::function<void()>& work) {
    const auto start = clock::now();
    work();
    return clock::now() - start;
}

class OtherPrograms : public testing::Test {
  protected:
    OtherPrograms() {
        auto db = database::open(path);
        db.exec("create table t(id integer primary key, v)");
        db.exec("delete from t");
    }

    temp_dir folder;
    std::filesystem::path path = folder / "app.db";
};

TEST_F(OtherPrograms, write_lock_held_and_deadline_passed_is_a_timeout_long_before_busy) {
    auto holder = lock_holder(path, "begin immediate");
    auto db = database::open(path, {.busy_timeout = 60s});
    skiff::write_options options;
    options.deadline = 100ms;
    errc code{};

    const auto took = time_of([&] {
        code = code_of([&] {
            db.write([](transaction& tx) { tx.exec("insert into t(id) values (1)"); }, options);
        });
    });

    EXPECT_EQ(code, errc::timeout);
    EXPECT_LT(took, 20s);
}

TEST_F(OtherPrograms, write_lock_held_for_longer_than_the_busy_timeout_is_busy) {
    auto holder = lock_holder(path, "begin immediate");
    auto db = database::open(path, {.busy_timeout = 100ms});
    errc code{};

    const auto took =
        time_of([&] { code = code_of([&] { db.exec("insert into t(id) values (1)"); }); });

    EXPECT_EQ(code, errc::busy);
    EXPECT_GE(took, 100ms);
    EXPECT_LT(took, 20s);
}

TEST_F(OtherPrograms, write_lock_held_and_stop_requested_is_interrupted) {
    auto holder = lock_holder(path, "begin immediate");
    auto db = database::open(path, {.busy_timeout = 60s});
    std::stop_source source;
    skiff::write_options options;
    options.stop = source.get_token();
    ending ended;
    std::thread writes([&] { ended = ending_of([&] { db.write([](transaction&) {}, options); }); });
    wait_until([&] { return callers_in_line(db) == 1; }, "the writer to wait for the lock");

    source.request_stop();
    writes.join();

    EXPECT_EQ(ended.name(), "SQLITE_INTERRUPT") << ended;
}

TEST_F(OtherPrograms, write_lock_that_is_released_lets_the_writer_go_on) {
    auto holder = lock_holder(path, "begin immediate; insert into t(id) values (7)");
    auto db = database::open(path, {.busy_timeout = 60s});
    ending ended;
    std::thread writes(
        [&] { ended = ending_of([&] { db.exec("insert into t(id) values (1)"); }); });
    wait_until([&] { return callers_in_line(db) == 1; }, "the writer to wait for the lock");

    holder.signal();
    writes.join();

    EXPECT_TRUE(ended.ok) << ended;
    EXPECT_EQ(holder.join().answer, "released");
    EXPECT_EQ(db.all<int>("select id from t order by id"), (std::vector{1, 7}));
}

TEST_F(OtherPrograms, reading_goes_on_while_the_write_lock_is_held) {
    auto holder = lock_holder(path, "begin immediate; insert into t(id) values (7)");
    auto db = database::open(path);

    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
    EXPECT_EQ(db.read().one<int>("select count(*) from t"), 0);
}

// In rollback mode an exclusive lock keeps even readers out: the look at the schema before the
// first batch must not wait longer than its caller.
TEST_F(OtherPrograms, exclusive_lock_held_and_deadline_passed_is_a_timeout) {
    const auto classic = folder / "classic.db";
    const skiff::open_options options{.journal = skiff::journal_mode::rollback,
                                      .busy_timeout = 60s};
    raw_database(classic).exec("create table t(id integer primary key)");
    child_process holder([&classic](child_channel& parent) -> std::string {
        if (!parent.wait()) return "no start";
        raw_database stock(classic);
        stock.exec("begin exclusive");
        parent.signal();
        static_cast<void>(parent.wait());
        return "released";
    });
    auto db = database::open(classic, options);
    holder.signal();
    ASSERT_TRUE(holder.wait());
    skiff::write_options limited;
    limited.deadline = 100ms;
    errc code{};

    const auto took = time_of([&] {
        code = code_of([&] {
            db.write([](transaction& tx) { tx.exec("insert into t values (1)"); }, limited);
        });
    });

    EXPECT_EQ(code, errc::timeout);
    EXPECT_LT(took, 20s);
}

TEST_F(OtherPrograms, kb_l1_opening_while_one_writes_always_succeeds) {
    auto db = database::open(path);
    std::atomic<bool> done{false};
    std::thread writes([&] {
        while (!done) db.exec("insert into t(v) values (zeroblob(2000))");
    });
    std::vector<std::thread> opens;
    for (int i = 0; i < 64; ++i) {
        opens.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                const auto ended = ending_of([&] {
                    auto mine = database::open(path, {.durability = skiff::durability::normal,
                                                      .busy_timeout = 60s,
                                                      .page_cache_kib = 500,
                                                      .mmap_bytes = 1 << 20});
                    static_cast<void>(mine.one<int>("select count(*) from t where id < 10"));
                    mine.close();
                });
                EXPECT_TRUE(ended.ok) << ended;
            }
        });
    }

    for (auto& each : opens) each.join();
    done = true;
    writes.join();

    EXPECT_EQ(integrity_of(path), "ok");
}

TEST_F(OtherPrograms, kb_l1_processes_that_open_and_write_all_succeed) {
    std::vector<child_process> children;
    for (int i = 0; i < 16; ++i) {
        children.emplace_back([this](child_channel& parent) -> std::string {
            if (!parent.wait()) return "no start";
            for (int round = 0; round < 20; ++round) {
                auto mine = database::open(path, {.busy_timeout = 60s});
                mine.exec("insert into t(v) values (1)");
                mine.close();
            }
            return "ok";
        });
    }

    for (auto& each : children) each.signal();
    for (auto& each : children) EXPECT_EQ(each.join().answer, "ok");

    EXPECT_EQ(number_in(path, "select count(*) from t"), 16 * 20);
    EXPECT_EQ(integrity_of(path), "ok");
}

/// A child made by fork() that leaves at once, as a failed exec does.
void fork_and_leave() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
}

TEST_F(OtherPrograms, kb_l5_fork_and_exit_of_a_child_leaves_locks_and_log_alone) {
    child_process outsider([this](child_channel& parent) -> std::string {
        if (!parent.wait()) return "no start";
        raw_database stock(path);
        sqlite3_busy_timeout(stock.handle(), 0);
        const int code = stock.try_exec("insert into t(id) values (99)");
        return sqlite3_errstr(code);
    });
    auto db = database::open(path);
    db.exec("insert into t(id) values (1)");
    std::string seen_by_others;

    db.write([&](transaction& tx) {
        tx.exec("insert into t(id) values (2)");
        fork_and_leave();
        outsider.signal();
        seen_by_others = outsider.join().answer;
        tx.exec("insert into t(id) values (3)");
    });

    EXPECT_EQ(seen_by_others, sqlite3_errstr(SQLITE_BUSY));
    EXPECT_TRUE(std::filesystem::exists(path.string() + "-wal"));
    EXPECT_EQ(number_in(path, "select count(*) from t"), 3);
}

TEST_F(OtherPrograms, kb_l5_log_is_never_deleted_while_in_use) {
    child_process opens_and_closes([this](child_channel& parent) -> std::string {
        if (!parent.wait()) return "no start";
        for (int i = 0; i < 100; ++i) {
            raw_database stock(path);
            sqlite3_busy_timeout(stock.handle(), 10'000);
            static_cast<void>(stock.number("select count(*) from t"));
        }
        return "ok";
    });
    auto db = database::open(path);
    opens_and_closes.signal();

    for (int i = 0; i < 100; ++i) {
        db.exec("insert into t(v) values (?)", i);
        if (i % 10 == 0) fork_and_leave();
        ASSERT_TRUE(std::filesystem::exists(path.string() + "-wal"));
    }

    EXPECT_EQ(opens_and_closes.join().answer, "ok");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 100);
    EXPECT_EQ(integrity_of(path), "ok");
}

}  // namespace
