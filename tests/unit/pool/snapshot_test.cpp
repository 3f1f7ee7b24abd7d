// Snapshots: one state for all reads of it, given back whole whatever its user left behind, cut by
// its own limits only.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::errc;

constexpr const char* endless_select =
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 1000000000) "
    "select count(*) from n";

class Snapshot : public testing::Test {
  protected:
    Snapshot() {
        db.exec("create table t(id integer primary key, v)");
        db.exec(
            "insert into t with recursive n(i) as (select 1 union all select i + 1 from n "
            "limit 100) select i, i from n");
    }
    /// What TRUNCATE reports to somebody else: 0 when nothing is in its way.
    int checkpoint_is_busy() {
        raw_database stock(folder / "app.db");
        return static_cast<int>(stock.number("pragma wal_checkpoint(truncate)"));
    }
    void write_something() { db.exec("update t set v = v + 1"); }

    temp_dir folder;
    database db = database::open(folder / "app.db");
};

TEST_F(Snapshot, reads_see_one_state_while_others_write) {
    auto snap = db.read();
    const int before = snap.one<int>("select sum(v) from t");
    write_something();

    const int after = snap.one<int>("select sum(v) from t");

    EXPECT_EQ(after, before);
    EXPECT_EQ(db.one<int>("select sum(v) from t"), before + 100);
}

TEST_F(Snapshot, state_is_that_of_the_first_read) {
    auto snap = db.read();
    write_something();

    const int seen = snap.one<int>("select sum(v) from t");

    EXPECT_EQ(seen, db.one<int>("select sum(v) from t"));
}

TEST_F(Snapshot, sees_no_table_made_after_its_first_read) {
    auto snap = db.read();
    static_cast<void>(snap.one<int>("select count(*) from t"));
    db.exec("create table later(x)");

    EXPECT_THROW(static_cast<void>(snap.all<int>("select x from later")), skiff::error);
    EXPECT_EQ(db.all<int>("select x from later"), std::vector<int>());
}

TEST_F(Snapshot, writing_in_it_is_refused) {
    auto snap = db.read();

    const auto failed = failure_of([&] { snap.exec("delete from t"); });

    EXPECT_EQ(failed.code(), errc::read_only);
    EXPECT_NE(failed.advice().find("write with database::exec"), std::string_view::npos);
    EXPECT_EQ(db.one<int>("select count(*) from t"), 100);
}

TEST_F(Snapshot, moved_one_goes_on_and_the_old_one_is_closed) {
    auto first = db.read();
    const int before = first.one<int>("select sum(v) from t");
    auto second = std::move(first);
    write_something();

    EXPECT_EQ(second.one<int>("select sum(v) from t"), before);
    EXPECT_EQ(code_of([&] { return first.one<int>("select 1"); }), errc::closed);
}

TEST_F(Snapshot, assignment_ends_the_old_state) {
    auto snap = db.read();
    static_cast<void>(snap.one<int>("select count(*) from t"));
    write_something();

    snap = db.read();

    EXPECT_EQ(snap.one<int>("select sum(v) from t"), db.one<int>("select sum(v) from t"));
}

TEST_F(Snapshot, kb_s1_ended_one_leaves_no_read_mark) {
    {
        auto snap = db.read();
        static_cast<void>(snap.one<int>("select count(*) from t"));
    }
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
}

TEST_F(Snapshot, kb_s1_open_one_holds_the_checkpoint_up) {
    auto snap = db.read();
    static_cast<void>(snap.one<int>("select count(*) from t"));
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 1);
}

TEST_F(Snapshot, kb_s1_loop_left_by_break_leaves_no_read_mark) {
    {
        auto snap = db.read();
        for (const int id : snap.rows<int>("select id from t")) {
            if (id == 1) break;
        }
    }
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
}

TEST_F(Snapshot, kb_s1_loop_left_by_an_exception_leaves_no_read_mark) {
    EXPECT_THROW(
        {
            auto snap = db.read();
            for (const int id : snap.rows<int>("select id from t")) {
                throw std::runtime_error(std::to_string(id));
            }
        },
        std::runtime_error);
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
}

TEST_F(Snapshot, kb_s1_loop_that_outlives_it_leaves_no_read_mark) {
    std::optional<skiff::row_range> left;
    {
        auto snap = db.read();
        left.emplace(snap.query("select id from t"));
        left->begin();
    }
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
    left.reset();
    EXPECT_EQ(db.one<int>("select count(*) from t"), 100);
}

TEST_F(Snapshot, kb_s1_moved_range_that_outlives_it_leaves_no_read_mark) {
    std::optional<skiff::typed_rows<int>> left;
    {
        auto snap = db.read();
        auto rows = snap.rows<int>("select id from t");
        rows.begin();
        left.emplace(std::move(rows));
    }
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
}

TEST_F(Snapshot, same_sql_twice_at_once_works) {
    auto snap = db.read();
    int pairs = 0;
    for (const int outer : snap.rows<int>("select id from t where id <= 5")) {
        for (const int inner : snap.rows<int>("select id from t where id <= 5")) {
            pairs += outer == inner ? 1 : 0;
        }
    }

    EXPECT_EQ(pairs, 5);
}

TEST_F(Snapshot, reader_comes_back_clean_from_a_failed_read) {
    {
        auto snap = db.read();
        EXPECT_THROW(static_cast<void>(snap.one<int>("select x from none")), skiff::error);
        EXPECT_THROW(static_cast<void>(snap.one<int>("select abs(-9223372036854775808)")),
                     skiff::error);
    }
    write_something();

    EXPECT_EQ(checkpoint_is_busy(), 0);
    EXPECT_EQ(db.one<int>("select sum(v) from t"), 5150);
}

TEST_F(Snapshot, deadline_cuts_the_statement_that_runs) {
    const auto code = code_of([&] {
        auto snap = db.read({.deadline = 30ms});
        return snap.one<std::int64_t>(endless_select);
    });

    EXPECT_EQ(code, errc::interrupted);
    EXPECT_EQ(db.one<int>("select count(*) from t"), 100);
}

TEST_F(Snapshot, stop_cuts_the_statement_that_runs) {
    std::stop_source source;
    ending ended;
    std::thread reads([&] {
        ended = ending_of([&] {
            auto snap = db.read({.stop = source.get_token()});
            static_cast<void>(snap.one<int>("select count(*) from t"));
            static_cast<void>(snap.one<std::int64_t>(endless_select));
        });
    });
    wait_until([&] { return db.stats().readers_open > 0; }, "the reader to start");

    source.request_stop();
    reads.join();

    EXPECT_EQ(ended.name(), "SQLITE_INTERRUPT");
}

TEST_F(Snapshot, stop_after_its_end_cuts_nobody) {
    std::stop_source source;
    {
        auto snap = db.read({.stop = source.get_token()});
        static_cast<void>(snap.one<int>("select count(*) from t"));
    }

    source.request_stop();
    const int count = db.one<int>(
        "with recursive n(i) as (select 1 union all select i + 1 from n limit 50000) "
        "select count(*) from n");

    EXPECT_EQ(count, 50000);
}

TEST_F(Snapshot, limits_of_a_moved_one_still_hold) {
    auto first = db.read({.deadline = 50ms});
    auto second = std::move(first);

    const auto code = code_of([&] { return second.one<std::int64_t>(endless_select); });

    EXPECT_EQ(code, errc::interrupted);
}

TEST_F(Snapshot, at_least_sees_the_commit_of_its_token) {
    const auto commit = db.exec("insert into t values (1000, 1)").commit;

    auto snap = db.read({.at_least = commit});

    EXPECT_EQ(snap.one<int>("select count(*) from t where id = 1000"), 1);
}

TEST_F(Snapshot, token_never_set_asks_for_nothing) {
    auto snap = db.read({.at_least = {}});

    EXPECT_EQ(snap.one<int>("select count(*) from t"), 100);
}

TEST_F(Snapshot, kb_c4_token_of_another_database_is_misuse) {
    auto other = database::open(folder / "other.db");
    const auto commit = other.exec("create table t(x)").commit;

    const auto code = code_of([&] { return db.read({.at_least = commit}); });

    EXPECT_EQ(code, errc::misuse);
}

TEST_F(Snapshot, kb_c4_token_of_the_same_file_opened_twice_is_misuse) {
    auto again = database::open(folder / "app.db");
    const auto commit = again.exec("insert into t values (1000, 1)").commit;

    const auto code = code_of([&] { return db.read({.at_least = commit}); });

    EXPECT_EQ(code, errc::misuse);
}

TEST_F(Snapshot, deadline_while_all_readers_are_leased_is_a_timeout) {
    auto one_reader = database::open(folder / "one.db", {.readers = 1});
    auto held = one_reader.read();

    errc code{};
    std::thread([&] {
        code = code_of([&] { return one_reader.read({.deadline = 20ms}); });
    }).join();

    EXPECT_EQ(code, errc::timeout);
    EXPECT_EQ(one_reader.stats().reads_waited, 1U);
}

}  // namespace
