// SQL that rolls the whole shared transaction back under everybody in it: noticed at once (D2),
// kept apart where the schema shows it (D7). Statements run again, closures that may not are told
// that nothing was committed (D15); nobody's row is stored twice or half.
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::transaction;
using strings = std::vector<std::string>;

constexpr const char* make_trigger =
    "create trigger never before insert on t when new.v = 'bad' "
    "begin select raise(rollback, 'not this one'); end";
constexpr const char* make_unique =
    "create table u(id integer primary key, k unique on conflict rollback)";

class BatchRolledBack : public three_callers {
  protected:
    work bad_row() {
        return [this] { db.exec("insert into t(id, v) values (2, 'bad')"); };
    }
    work bad_closure() {
        return [this] {
            db.write([](transaction& tx) { tx.exec("insert into t(id, v) values (2, 'bad')"); });
        };
    }
    /// What becomes of neighbours that may not run again: those before the offender lose, with an
    /// error that says so; those behind it were not part of it.
    strings expected_for_closures(const std::string& offender) const {
        strings expected(3, "ok");
        for (std::size_t i = 0; i < offender_index(); ++i) expected[i] = "SKIFF_BATCH_ABORTED";
        expected[offender_index()] = offender;
        return expected;
    }
    std::vector<int> ids_of_the_ok(const std::vector<ending>& endings) const {
        std::vector<int> expected;
        int id = 1;
        for (std::size_t i = 0; i < endings.size(); ++i) {
            if (i == offender_index()) continue;
            if (endings[i].ok) expected.push_back(id);
            id += 2;
        }
        return expected;
    }
};
SKIFF_IN_EACH_POSITION(BatchRolledBack);

TEST_P(BatchRolledBack, d7_trigger_known_before_hurts_no_closure) {
    db.exec(make_trigger);

    const auto endings = around(bad_closure(), neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
    EXPECT_EQ(db.stats().batches_aborted, 0U);
}

TEST_P(BatchRolledBack, d2_trigger_known_before_makes_statements_run_again) {
    db.exec(make_trigger);

    const auto endings = around(bad_row(), neighbours::repeatable);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchRolledBack, d2_trigger_made_after_the_batch_formed_tells_closures) {
    const auto endings = around(bad_closure(), neighbours::only_once,
                                [this] { raw_database(folder / "app.db").exec(make_trigger); });

    EXPECT_EQ(names_of(endings), expected_for_closures("SQLITE_CONSTRAINT"));
    EXPECT_EQ(ids(), ids_of_the_ok(endings));
}

TEST_P(BatchRolledBack, d15_trigger_made_after_the_batch_formed_makes_statements_run_again) {
    const auto endings = around(bad_row(), neighbours::repeatable,
                                [this] { raw_database(folder / "app.db").exec(make_trigger); });

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchRolledBack, d7_conflict_clause_known_before_hurts_no_closure) {
    raw_database(folder / "app.db").exec(make_unique);
    db.write_without_transaction([](skiff::connection& writer) {
        writer.exec("create table seen_by_us(x)");  // the schema is looked at again
    });
    db.exec("insert into u values (1, 1)");

    const auto endings = around(
        [this] { db.write([](transaction& tx) { tx.exec("insert into u values (2, 1)"); }); },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
    EXPECT_EQ(db.one<int>("select count(*) from u"), 1);
}

TEST_P(BatchRolledBack, d2_conflict_clause_made_after_the_batch_formed_tells_closures) {
    const auto endings = around(
        [this] { db.write([](transaction& tx) { tx.exec("insert into u values (2, 1)"); }); },
        neighbours::only_once,
        [this] {
            raw_database stock(folder / "app.db");
            stock.exec(make_unique);
            stock.exec("insert into u values (1, 1)");
        });

    EXPECT_EQ(names_of(endings), expected_for_closures("SQLITE_CONSTRAINT"));
    EXPECT_EQ(ids(), ids_of_the_ok(endings));
}

TEST_P(BatchRolledBack, d2_nothing_runs_after_a_swallowed_rollback) {
    ending second;
    const auto endings = around(
        [&] {
            db.write([&](transaction& tx) {
                EXPECT_THROW(tx.exec("insert into t(id, v) values (2, 'bad')"), skiff::constraint);
                second = ending_of([&] { tx.exec("insert into t(id) values (22)"); });
            });
        },
        neighbours::only_once, [this] { raw_database(folder / "app.db").exec(make_trigger); });

    EXPECT_EQ(second.name(), "SQLITE_MISUSE");
    EXPECT_EQ(names_of(endings), expected_for_closures("SKIFF_REFUSED"));
    EXPECT_EQ(ids(), ids_of_the_ok(endings));
}

TEST_P(BatchRolledBack, d2_script_does_not_go_on_after_a_rollback) {
    const auto endings = around(
        [&] {
            db.write([&](transaction& tx) {
                EXPECT_THROW(tx.exec_script("insert into t(id, v) values (2, 'bad'); "
                                            "insert into t(id) values (22)"),
                             skiff::constraint);
                EXPECT_THROW(tx.exec_script("insert into t(id) values (22)"), skiff::error);
                EXPECT_THROW(static_cast<void>(tx.savepoint()), skiff::error);
            });
        },
        neighbours::only_once, [this] { raw_database(folder / "app.db").exec(make_trigger); });

    EXPECT_EQ(names_of(endings), expected_for_closures("SKIFF_REFUSED"));
    EXPECT_EQ(ids(), ids_of_the_ok(endings));
}

TEST_P(BatchRolledBack, d2_rollback_inside_a_savepoint_is_noticed) {
    const auto endings = around(
        [&] {
            db.write([&](transaction& tx) {
                auto part = tx.savepoint();
                tx.exec("insert into t(id) values (2)");
                tx.exec("insert into t(id, v) values (22, 'bad')");
                part.release();
            });
        },
        neighbours::only_once, [this] { raw_database(folder / "app.db").exec(make_trigger); });

    EXPECT_EQ(names_of(endings), expected_for_closures("SQLITE_CONSTRAINT"));
    EXPECT_EQ(ids(), ids_of_the_ok(endings));
}

TEST_P(BatchRolledBack, d15_closure_that_allows_it_runs_again_once) {
    int runs = 0;
    write_line line(db);
    line.add([&] {
        skiff::write_options again;
        again.rerun = skiff::rerun::allowed;
        db.write(
            [&](transaction& tx) {
                ++runs;
                tx.exec("insert into t(id) values (1)");
            },
            again);
    });
    line.add(bad_closure());
    raw_database(folder / "app.db").exec(make_trigger);

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"ok", "SQLITE_CONSTRAINT"}));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(ids(), (std::vector{1}));
}

TEST_P(BatchRolledBack, d15_error_names_the_cause_and_the_way_out) {
    const auto endings = around(bad_closure(), neighbours::only_once,
                                [this] { raw_database(folder / "app.db").exec(make_trigger); });

    for (const auto& each : endings) {
        if (each.name() != "SKIFF_BATCH_ABORTED") continue;
        EXPECT_NE(each.what.find("not this one"), std::string::npos) << each;
        EXPECT_NE(each.what.find("nothing was committed"), std::string::npos) << each;
    }
}

TEST_P(BatchRolledBack, d2_writer_is_as_before_afterwards) {
    static_cast<void>(around(bad_closure(), neighbours::only_once,
                             [this] { raw_database(folder / "app.db").exec(make_trigger); }));

    const auto later =
        around([this] { db.exec("insert into t(id) values (2)"); }, neighbours::repeatable,
               [this] { raw_database(folder / "app.db").exec("delete from t"); });

    EXPECT_EQ(names_of(later), strings(3, "ok"));
    EXPECT_EQ(ids(), (std::vector{1, 2, 3}));
}

}  // namespace
