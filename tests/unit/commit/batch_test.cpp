// What callers in one shared transaction owe to each other when all goes well or a closure simply
// fails: each is undone alone (D1), nobody hears anything before the COMMIT (D4), figures are each
// caller's own (D5), loops left running are ended (D9), order is the order of arrival (D18).
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::database;
using skiff::transaction;
using strings = std::vector<std::string>;

class BatchInEachPosition : public three_callers {};
SKIFF_IN_EACH_POSITION(BatchInEachPosition);

TEST_P(BatchInEachPosition, d1_closure_that_throws_is_undone_alone) {
    const auto before = db.stats();

    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("insert into t(id) values (2)");
                throw std::runtime_error("mine");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"mine", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
    EXPECT_EQ(db.stats().commits, before.commits + 1);
    EXPECT_EQ(db.stats().writes, before.writes + 2);
    EXPECT_EQ(db.stats().writes_failed, before.writes_failed + 1);
}

TEST_P(BatchInEachPosition, d1_statement_that_fails_is_undone_alone) {
    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("insert into t(id) values (2)");
                tx.exec("insert into t(id) values (2)");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchInEachPosition, d1_new_table_of_a_failed_closure_is_gone) {
    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("create table made(x)");
                tx.exec("insert into made values (1)");
                throw std::runtime_error("mine");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"mine", "ok", "ok"}));
    EXPECT_EQ(db.one<int>("select count(*) from sqlite_schema where name = 'made'"), 0);
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchInEachPosition, d9_loop_left_running_fails_its_closure_alone) {
    std::optional<skiff::row_range> left;
    const auto endings = around(
        [&] {
            db.write([&left](transaction& tx) {
                tx.exec("insert into t(id) values (2), (20)");
                left.emplace(tx.query("select id from t"));
                left->begin();
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_MISUSE", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchInEachPosition, d9_loop_left_by_an_exception_hurts_nobody) {
    const auto endings = around(
        [&] {
            db.write([](transaction& tx) {
                tx.exec("insert into t(id) values (2), (20)");
                for (const int id : tx.rows<int>("select id from t")) {
                    throw std::runtime_error("left at " + std::to_string(id > 0 ? 1 : 0));
                }
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"left at 1", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

class Batch : public testing::Test {
  protected:
    Batch() { db.exec("create table t(id integer primary key, v)"); }

    temp_dir folder;
    database db = database::open(folder / "app.db", without_disk());
};

TEST_F(Batch, d4_call_returns_only_after_the_commit) {
    raw_database stock(folder / "app.db");
    latch_gate last_runs;
    std::atomic<int> returned{0};
    write_line line(db);
    for (int id = 1; id <= 3; ++id) {
        line.add([&, id] {
            db.exec("insert into t(id) values (?)", id);
            ++returned;
        });
    }
    line.add([&] { db.write([&](transaction&) { last_runs.pass(); }); });

    line.release();
    last_runs.wait_for_visitor();
    const int returned_before = returned.load();
    const auto seen_before = stock.number("select count(*) from t");
    last_runs.open();
    const auto endings = line.finish();

    EXPECT_EQ(returned_before, 0);
    EXPECT_EQ(seen_before, 0);
    EXPECT_EQ(names_of(endings), strings(4, "ok"));
    EXPECT_EQ(stock.number("select count(*) from t"), 3);
}

TEST_F(Batch, d4_rows_are_visible_to_others_when_the_call_returns) {
    raw_database stock(folder / "app.db");
    std::atomic<int> seen{0};
    write_line line(db);
    for (int id = 1; id <= 8; ++id) {
        line.add([&, id] {
            db.exec("insert into t(id) values (?)", id);
            seen += static_cast<int>(number_in(
                folder / "app.db", "select count(*) from t where id = " + std::to_string(id)));
        });
    }

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(8, "ok"));
    EXPECT_EQ(seen.load(), 8);
}

TEST_F(Batch, d5_changes_and_rowid_are_each_callers_own) {
    std::vector<skiff::write_result> results(4);
    db.exec("insert into t(id) values (100), (200)");
    write_line line(db);
    line.add([&] { results[0] = db.exec("insert into t(id) values (7)"); });
    line.add([&] { results[1] = db.exec("update t set v = 1 where id >= 100"); });
    line.add([&] { results[2] = db.exec("delete from t where id = 12345"); });
    line.add([&] { results[3] = db.exec("insert or ignore into t(id) values (7)"); });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(4, "ok"));
    EXPECT_EQ(results[0].changes, 1);
    EXPECT_EQ(results[0].last_insert_rowid, 7);
    EXPECT_EQ(results[1].changes, 2);
    EXPECT_EQ(results[1].last_insert_rowid, 0);
    EXPECT_EQ(results[2].changes, 0);
    EXPECT_EQ(results[2].last_insert_rowid, 0);
    EXPECT_EQ(results[3].changes, 0);
    EXPECT_EQ(results[3].last_insert_rowid, 0);
}

TEST_F(Batch, d5_closure_does_not_see_a_neighbours_rowid) {
    std::optional<std::int64_t> seen;
    write_line line(db);
    line.add([&] { db.exec("insert into t(id) values (77)"); });
    line.add([&] {
        seen = db.write([](transaction& tx) {
                     return tx.one<std::int64_t>("select last_insert_rowid()");
                 }).value;
    });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(2, "ok"));
    EXPECT_EQ(seen, 0);
}

TEST_F(Batch, d5_failed_neighbours_changes_are_not_counted) {
    skiff::write_result result;
    write_line line(db);
    line.add([&] {
        db.write([](transaction& tx) {
            tx.exec("insert into t(id) values (1), (2), (3)");
            throw std::runtime_error("mine");
        });
    });
    line.add([&] { result = db.exec("create table other(x)"); });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"mine", "ok"}));
    EXPECT_EQ(result.changes, 0);
    EXPECT_EQ(result.last_insert_rowid, 0);
}

TEST_F(Batch, d18_units_run_and_commit_in_order_of_arrival) {
    db.exec("create table log(at integer primary key autoincrement, who)");
    write_line line(db);
    for (int who = 1; who <= 20; ++who) {
        line.add([&, who] { db.exec("insert into log(who) values (?)", who); });
    }

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(20, "ok"));
    std::vector<int> expected;
    for (int who = 1; who <= 20; ++who) expected.push_back(who);
    EXPECT_EQ(db.all<int>("select who from log order by at"), expected);
}

TEST_F(Batch, d18_later_unit_sees_what_earlier_ones_wrote) {
    db.exec("insert into t(id, v) values (1, 0)");
    write_line line(db);
    for (int i = 0; i < 10; ++i) {
        line.add([&] {
            db.write([](transaction& tx) {
                const int v = tx.one<int>("select v from t where id = 1");
                tx.exec("update t set v = ? where id = 1", v + 1);
            });
        });
    }

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(10, "ok"));
    EXPECT_EQ(db.one<int>("select v from t where id = 1"), 10);
    EXPECT_EQ(db.stats().batch_writes_max, 10U);
}

TEST_F(Batch, members_share_one_commit_token) {
    std::vector<skiff::commit_token> tokens(3);
    write_line line(db);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        line.add([&, i] { tokens[i] = db.exec("insert into t(v) values (?)", int(i)).commit; });
    }

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(3, "ok"));
    EXPECT_EQ(tokens[0], tokens[1]);
    EXPECT_EQ(tokens[1], tokens[2]);
    EXPECT_EQ(tokens[0], db.last_commit());
}

}  // namespace
