// Public bugs of other libraries in the meeting of threads, tried on skiff::database: KB-C1 to
// KB-C4, and the deadlock between pool and writer that stands behind KB-C8.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::errc;
using skiff::transaction;
using clock = std::chrono::steady_clock;

constexpr const char* endless_select =
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 1000000000) "
    "select count(*) from n";

class KnownBugs : public testing::Test {
  protected:
    /// Runs `work(number of the thread)` on several threads at once.
    template <class Work>
    static void on_threads(int count, Work&& work) {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
        for (auto& each : threads) each.join();
    }

    temp_dir folder;
};

TEST_F(KnownBugs, kb_c1_read_then_write_on_eight_threads_counts_all) {
    auto db = database::open(folder / "app.db");
    db.exec("create table counter(n)");
    db.exec("insert into counter values (0)");

    on_threads(8, [&db](int) {
        for (int i = 0; i < 200; ++i) {
            const auto ended = ending_of([&] {
                db.write([](transaction& tx) {
                    const int n = tx.one<int>("select n from counter");
                    tx.exec("update counter set n = ?", n + 1);
                });
            });
            EXPECT_TRUE(ended.ok) << ended;
        }
    });

    EXPECT_EQ(db.one<int>("select n from counter"), 1600);
}

TEST_F(KnownBugs, kb_c1_deferred_transaction_that_writes_late_is_told_at_once) {
    auto db = database::open(folder / "app.db");
    db.exec("create table t(x)");
    auto by_hand = skiff::connection::open(folder / "app.db", {.busy_timeout = 60s});
    auto tx = by_hand.begin(skiff::transaction_mode::deferred);
    static_cast<void>(tx.one<int>("select count(*) from t"));
    db.exec("insert into t values (1)");

    const auto start = clock::now();
    EXPECT_THROW(tx.exec("insert into t values (2)"), skiff::busy_snapshot);
    const auto took = clock::now() - start;

    EXPECT_LT(took, 1s);  // a few microseconds on an idle machine, and never the busy timeout
}

TEST_F(KnownBugs, kb_c1_select_before_insert_or_ignore_never_fails) {
    auto db = database::open(folder / "app.db");
    db.exec("create table t(x unique)");

    on_threads(8, [&db](int) {
        for (int i = 0; i < 50; ++i) {
            const auto ended = ending_of([&] {
                db.write([i](transaction& tx) {
                    if (tx.maybe<int>("select x from t where x = ?", i)) return;
                    tx.exec("insert or ignore into t values (?)", i);
                });
            });
            EXPECT_TRUE(ended.ok) << ended;
        }
    });

    EXPECT_EQ(db.one<int>("select count(*) from t"), 50);
}

// Thread A                     thread B, on the same reader     the stopper
// starts a read without end    waits for the reader
//                                                               stops A at a random moment
// is interrupted               reads its row
TEST_F(KnownBugs, kb_c2_interrupt_hits_its_own_call_alone) {
    random_numbers random(test_seed());
    auto db = database::open(folder / "app.db", {.readers = 1});
    db.exec("create table t(x)");
    db.exec("insert into t values (42)");
    std::atomic<bool> done{false};
    std::thread neighbour([&] {
        while (!done) {
            const auto ended = ending_of([&] { EXPECT_EQ(db.one<int>("select x from t"), 42); });
            EXPECT_TRUE(ended.ok) << ended;
        }
    });
    const auto end = clock::now() + 3s;
    int rounds = 0;
    for (; rounds < 10'000 && clock::now() < end; ++rounds) {
        std::stop_source source;
        std::atomic<bool> started{false};
        const std::chrono::microseconds pause(random.below(1500));
        std::thread stopper([&] {
            while (!started) std::this_thread::yield();
            const auto until = clock::now() + pause;
            while (clock::now() < until) {
            }
            source.request_stop();
        });
        const auto stopped = ending_of([&] {
            started = true;
            auto snap = db.read({.stop = source.get_token()});
            static_cast<void>(snap.one<std::int64_t>(endless_select));
        });
        stopper.join();
        EXPECT_EQ(stopped.name(), "SQLITE_INTERRUPT") << stopped;
        EXPECT_EQ(db.one<int>("select x from t"), 42);
    }
    done = true;
    neighbour.join();

    EXPECT_GT(rounds, 10);
}

TEST_F(KnownBugs, kb_c2_stop_of_a_call_that_just_returned_hits_nobody) {
    auto db = database::open(folder / "app.db", {.readers = 1});
    db.exec("create table t(x)");
    for (int i = 0; i < 200; ++i) {
        std::stop_source source;
        static_cast<void>(db.read({.stop = source.get_token()}).one<int>("select 1"));
        std::thread stopper([&] { source.request_stop(); });
        const auto ended = ending_of([&] {
            static_cast<void>(
                db.one<int>("with recursive n(i) as (select 1 union all select i + 1 "
                            "from n limit 3000) select count(*) from n"));
        });
        stopper.join();
        EXPECT_TRUE(ended.ok) << ended;
    }
}

class KnownBugsOfStops : public KnownBugs, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(In,
                         KnownBugsOfStops,
                         testing::Values("create table t(x)",
                                         "create virtual table t using fts5(x)"));

TEST_P(KnownBugsOfStops, kb_c3_stop_inside_a_closure_rolls_back_and_all_goes_on) {
    auto db = database::open(folder / "app.db");
    db.exec(GetParam());
    db.exec("insert into t values ('before')");
    std::stop_source source;
    skiff::write_options options;
    options.stop = source.get_token();

    const auto stopped = code_of([&] {
        db.write(
            [&](transaction& tx) {
                tx.exec("insert into t values ('inside')");
                source.request_stop();
                tx.exec(
                    "insert into t with recursive n(i) as (select 1 union all select i + 1 "
                    "from n limit 100000000) select 'word ' || i from n");
            },
            options);
    });
    db.exec("insert into t values ('after')");

    EXPECT_EQ(stopped, errc::interrupted);
    EXPECT_EQ(db.all<std::string>("select x from t"),
              (std::vector<std::string>{"before", "after"}));
    EXPECT_EQ(db.one<int>("pragma query_only"), 1);  // of the reader, as before
    EXPECT_EQ(integrity_of(folder / "app.db"), "ok");
}

TEST_F(KnownBugs, kb_c3_stop_inside_a_long_read_leaves_the_reader_as_it_was) {
    auto db = database::open(folder / "app.db", {.readers = 1});
    db.exec(
        "create table t as with recursive n(i) as (select 1 union all select i + 1 from n "
        "limit 100000) select i as x from n");
    std::stop_source source;
    int seen = 0;

    const auto stopped = code_of([&] {
        auto snap = db.read({.stop = source.get_token()});
        for (const int x : snap.rows<int>("select x from t")) {
            if (++seen == 1000) source.request_stop();
            EXPECT_EQ(x, seen);
        }
    });

    EXPECT_EQ(stopped, errc::interrupted);
    EXPECT_LT(seen, 100'000);
    EXPECT_EQ(db.one<int>("select count(*) from t"), 100'000);
    EXPECT_EQ(db.one<int>("pragma query_only"), 1);
}

TEST_F(KnownBugs, kb_c4_every_thread_reads_what_it_wrote) {
    auto db = database::open(folder / "app.db");
    db.exec("create table t(id integer primary key, who)");
    std::atomic<int> found{0};

    on_threads(100, [&](int who) {
        for (int i = 0; i < 100; ++i) {
            const auto done = db.exec("insert into t(who) values (?)", who);
            auto snap = db.read({.at_least = done.commit});
            found += snap.one<int>("select count(*) from t where id = ? and who = ?",
                                   done.last_insert_rowid, who);
        }
    });

    EXPECT_EQ(found.load(), 10'000);
}

TEST_F(KnownBugs, kb_c4_other_thread_reads_what_it_was_told_of) {
    auto db = database::open(folder / "app.db");
    db.exec("create table t(id integer primary key)");

    for (int i = 1; i <= 100; ++i) {
        const auto commit = db.exec("insert into t values (?)", i).commit;
        int seen = 0;
        std::thread told(
            [&] { seen = db.read({.at_least = commit}).one<int>("select count(*) from t"); });
        told.join();
        EXPECT_EQ(seen, i);
    }
}

}  // namespace
