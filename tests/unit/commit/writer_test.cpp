// What one caller of the writer can rely on: what a closure throws and returns reaches its caller,
// whoever ran it; calls into itself are refused instead of waiting for ever; limits cut the wait.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
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
using strings = std::vector<std::string>;

class Writer : public testing::Test {
  protected:
    Writer() { db.exec("create table t(id integer primary key, v)"); }
    int rows() { return db.one<int>("select count(*) from t"); }

    temp_dir folder;
    database db = database::open(folder / "app.db", without_disk());
};

TEST_F(Writer, lone_statement_is_committed_by_itself) {
    const auto before = db.stats().commits;

    const auto done = db.exec("insert into t(v) values (?)", "x");

    EXPECT_EQ(done.changes, 1);
    EXPECT_EQ(done.last_insert_rowid, 1);
    EXPECT_EQ(db.stats().commits, before + 1);
    EXPECT_EQ(done.commit, db.last_commit());
}

TEST_F(Writer, closure_that_does_nothing_is_a_commit_too) {
    const auto before = db.last_commit();

    const auto commit = db.write([](transaction&) {});

    EXPECT_GT(commit.sequence(), before.sequence());
}

TEST_F(Writer, any_exception_reaches_its_caller) {
    struct custom {
        int number;
    };

    EXPECT_THROW(db.write([](transaction&) { throw 42; }), int);
    EXPECT_THROW(db.write([](transaction&) { throw std::string("text"); }), std::string);
    EXPECT_THROW(db.write([](transaction&) { throw custom{1}; }), custom);
    EXPECT_THROW(db.write([](transaction& tx) { tx.exec("insert into none values (1)"); }),
                 skiff::error);
    EXPECT_THROW(db.write([](transaction& tx) { return tx.one<int>("select 1 where 0"); }),
                 skiff::no_row);
    EXPECT_EQ(rows(), 0);
}

TEST_F(Writer, exception_of_an_sql_function_reaches_its_caller_alone) {
    db.define_function("refuse", [](int x) {
        if (x == 2) throw std::runtime_error("not two");
        return x;
    });
    write_line line(db);
    for (int id = 1; id <= 3; ++id) {
        line.add([&, id] { db.exec("insert into t(id) values (refuse(?))", id); });
    }

    EXPECT_EQ(names_of(line.finish()), (strings{"ok", "not two", "ok"}));

    EXPECT_EQ(db.all<int>("select id from t"), (std::vector{1, 3}));
}

TEST_F(Writer, exception_reaches_the_caller_whose_closure_threw) {
    std::vector<std::thread::id> ran(4);
    std::vector<std::thread::id> caught(4);
    std::vector<int> thrown(4);
    write_line line(db);
    for (int i = 0; i < 4; ++i) {
        const auto at = static_cast<std::size_t>(i);
        line.add([&, i, at] {
            try {
                db.write([&, i, at](transaction&) {
                    ran[at] = std::this_thread::get_id();
                    throw i;
                });
            } catch (int number) {
                caught[at] = std::this_thread::get_id();
                thrown[at] = number;
            }
        });
    }

    EXPECT_EQ(names_of(line.finish()), strings(4, "ok"));

    EXPECT_EQ(thrown, (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(ran[3], caught[0]);  // the first caller led and ran all of them
    EXPECT_NE(caught[3], caught[0]);
}

TEST_F(Writer, closure_returns_a_value_with_its_commit) {
    const auto written = db.write([](transaction& tx) {
        return tx.one<std::int64_t>("insert into t(v) values (1) returning id");
    });

    EXPECT_EQ(written.value, 1);
    EXPECT_EQ(written.commit, db.last_commit());
}

TEST_F(Writer, closure_returns_a_move_only_value) {
    auto written = db.write([](transaction&) { return std::make_unique<std::string>("mine"); });

    ASSERT_NE(written.value, nullptr);
    EXPECT_EQ(*written.value, "mine");
}

TEST_F(Writer, closure_may_be_move_only_and_change_itself) {
    auto owned = std::make_unique<int>(1);
    auto work = [owned = std::move(owned)](transaction& tx) mutable {
        tx.exec("insert into t(id) values (?)", (*owned)++);
    };

    db.write(work);
    db.write(work);

    EXPECT_EQ(rows(), 2);
}

TEST_F(Writer, value_of_a_closure_that_ran_again_is_that_of_the_last_run) {
    int runs = 0;
    std::optional<int> value;
    skiff::write_options again;
    again.rerun = skiff::rerun::allowed;
    write_line line(db);
    line.add([&] { value = db.write([&](transaction&) { return ++runs; }, again).value; });
    line.add([&] {
        std::stop_source source;
        auto options = again;
        options.stop = source.get_token();
        db.write(
            [&](transaction& tx) {
                source.request_stop();
                tx.exec(
                    "insert into t(id) with recursive n(i) as (select 1 union all select i + 1 "
                    "from n limit 100000000) select i from n");
            },
            options);
    });

    EXPECT_EQ(names_of(line.finish()), (strings{"ok", "SQLITE_INTERRUPT"}));

    EXPECT_EQ(value, 2);
}

TEST_F(Writer, write_from_inside_a_closure_is_misuse) {
    strings inner;
    db.write([&](transaction&) {
        inner.push_back(ending_of([&] { db.exec("insert into t(id) values (1)"); }).name());
        inner.push_back(ending_of([&] { db.write([](transaction&) {}); }).name());
        inner.push_back(
            ending_of([&] { db.write_without_transaction([](skiff::connection&) {}); }).name());
        inner.push_back(ending_of([&] {
                            static_cast<void>(
                                db.one<int>("insert into t(id) values (1) returning id"));
                        }).name());
        inner.push_back(ending_of([&] { db.define_function("f", [] { return 1; }); }).name());
    });

    EXPECT_EQ(inner, strings(5, "SQLITE_MISUSE"));
    EXPECT_EQ(rows(), 0);
}

TEST_F(Writer, write_from_work_outside_transactions_is_misuse) {
    std::string inner;
    db.write_without_transaction([&](skiff::connection&) {
        inner = ending_of([&] { db.exec("insert into t(id) values (1)"); }).name();
    });

    EXPECT_EQ(inner, "SQLITE_MISUSE");
}

TEST_F(Writer, write_from_an_sql_function_of_a_closure_is_misuse) {
    db.define_function("write_again", [this] {
        db.exec("insert into t(id) values (1)");
        return 1;
    });

    const auto code = code_of(
        [&] { db.write([](transaction& tx) { return tx.one<int>("select write_again()"); }); });

    EXPECT_EQ(code, errc::misuse);
    EXPECT_EQ(rows(), 0);
}

TEST_F(Writer, write_from_a_neighbours_closure_is_misuse_as_well) {
    std::string inner;
    write_line line(db);
    line.add([&] { db.exec("insert into t(id) values (1)"); });
    line.add([&] {
        db.write([&](transaction&) {
            inner = ending_of([&] { db.exec("insert into t(id) values (2)"); }).name();
        });
    });

    EXPECT_EQ(names_of(line.finish()), strings(2, "ok"));
    EXPECT_EQ(inner, "SQLITE_MISUSE");
}

TEST_F(Writer, write_to_another_database_inside_a_closure_works) {
    auto other = database::open(folder / "other.db", without_disk());
    other.exec("create table t(id)");
    std::string back;

    db.write([&](transaction& tx) {
        tx.exec("insert into t(id) values (1)");
        other.write([&](transaction& inner) {
            inner.exec("insert into t(id) values (2)");
            back = ending_of([&] { db.exec("insert into t(id) values (3)"); }).name();
        });
    });

    EXPECT_EQ(other.one<int>("select id from t"), 2);
    EXPECT_EQ(back, "SQLITE_MISUSE");
    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, thread_that_led_may_write_again) {
    EXPECT_THROW(db.write([](transaction&) { throw 1; }), int);

    db.exec("insert into t(id) values (1)");

    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, read_inside_a_closure_sees_what_was_committed_before) {
    db.exec("insert into t(id) values (1)");

    const auto seen = db.write([&](transaction& tx) {
        tx.exec("insert into t(id) values (2)");
        return rows();
    });

    EXPECT_EQ(seen.value, 1);
    EXPECT_EQ(rows(), 2);
}

TEST_F(Writer, write_while_the_thread_holds_a_snapshot_works) {
    auto snap = db.read();
    const int before = snap.one<int>("select count(*) from t");

    db.exec("insert into t(id) values (1)");

    EXPECT_EQ(before, 0);
    EXPECT_EQ(snap.one<int>("select count(*) from t"), 0);
    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, statement_with_returning_runs_on_the_writer) {
    const auto id = db.one<int>("insert into t(v) values ('x') returning id");
    const auto none = db.maybe<int>("update t set v = 1 where id = 99 returning id");
    const auto all = db.all<int>("insert into t(v) values (1), (2), (3) returning id");

    EXPECT_EQ(id, 1);
    EXPECT_EQ(none, std::nullopt);
    EXPECT_EQ(all, (std::vector{2, 3, 4}));
    EXPECT_EQ(rows(), 4);
}

TEST_F(Writer, kb_v4_one_row_wanted_and_two_written_stores_neither) {
    const auto code =
        code_of([&] { return db.one<int>("insert into t(v) values (1), (2) returning id"); });

    EXPECT_EQ(code, errc::many_rows);
    EXPECT_EQ(rows(), 0);
}

TEST_F(Writer, kb_v4_figures_of_a_select_are_zero) {
    db.exec("insert into t(v) values (1), (2)");

    const auto done = db.exec("select * from t");

    EXPECT_EQ(done.changes, 0);
    EXPECT_EQ(done.last_insert_rowid, 0);
}

TEST_F(Writer, kb_v4_figures_of_an_ignored_insert_are_zero) {
    db.exec("insert into t(id) values (7)");

    const auto done = db.exec("insert or ignore into t(id) values (7)");

    EXPECT_EQ(done.changes, 0);
    EXPECT_EQ(done.last_insert_rowid, 0);
}

TEST_F(Writer, transaction_moved_out_of_its_closure_has_ended) {
    std::optional<transaction> kept;
    std::optional<skiff::savepoint> mark;
    db.write([&](transaction& tx) {
        mark.emplace(tx.savepoint());
        tx.exec("insert into t(v) values (1)");
        kept.emplace(std::move(tx));
    });

    EXPECT_EQ(code_of([&] { kept->exec("delete from t"); }), errc::misuse);
    EXPECT_EQ(code_of([&] { mark->rollback(); }), errc::misuse);
    db.write([&](transaction& tx) {
        EXPECT_EQ(code_of([&] { kept->exec("delete from t"); }), errc::misuse);
        EXPECT_EQ(code_of([&] { mark->rollback(); }), errc::misuse);
        tx.exec("insert into t(v) values (2)");
    });
    mark.reset();
    kept.reset();
    EXPECT_EQ(rows(), 2);
}

TEST_F(Writer, statements_of_writes_are_in_the_figures) {
    db.exec("insert into t(v) values (?)", 1);
    const auto before = db.stats().statements;

    for (int i = 0; i < 10; ++i) db.exec("insert into t(v) values (?)", i);

    const auto after = db.stats().statements;
    EXPECT_EQ(after.hits, before.hits + 10);
    EXPECT_EQ(after.misses, before.misses);
}

}  // namespace
