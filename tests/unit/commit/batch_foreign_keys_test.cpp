// Deferred foreign keys in a shared transaction: a violation fails the unit that left it (D3), and
// never the COMMIT of all; a unit that asked for deferred checking asks for itself alone (D8).
#include "support/latch_gate.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::transaction;
using strings = std::vector<std::string>;

class BatchForeignKeys : public three_callers {
  protected:
    BatchForeignKeys() {
        db.exec("create table parent(id integer primary key)");
        db.exec(
            "create table child(id integer primary key, parent references parent "
            "deferrable initially deferred)");
        db.exec("create table strict_child(id integer primary key, parent references parent)");
    }
};
SKIFF_IN_EACH_POSITION(BatchForeignKeys);

class BatchInOneOrder : public BatchForeignKeys {};
INSTANTIATE_TEST_SUITE_P(In, BatchInOneOrder, testing::Values(position::first), name_of_position);

TEST_P(BatchForeignKeys, d3_deferred_violation_fails_its_unit_alone) {
    const auto endings =
        around([this] { db.exec("insert into child values (1, 99)"); }, neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(endings[offender_index()].extended_code, SQLITE_CONSTRAINT_FOREIGNKEY);
    EXPECT_EQ(ids(), (std::vector{1, 3}));
    EXPECT_EQ(db.one<int>("select count(*) from child"), 0);
}

TEST_P(BatchForeignKeys, d3_violation_mended_in_the_same_unit_is_fine) {
    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("insert into child values (1, 99)");
                tx.exec("insert into parent values (99)");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(names_of(endings), strings(3, "ok"));
    EXPECT_EQ(db.one<int>("select parent from child"), 99);
}

TEST_P(BatchInOneOrder, d3_later_unit_does_not_mend_an_earlier_one) {
    write_line line(db);
    line.add([this] { db.exec("insert into child values (1, 99)"); });
    line.add([this] { db.exec("insert into parent values (99)"); });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"SQLITE_CONSTRAINT", "ok"}));
    EXPECT_EQ(db.one<int>("select count(*) from child"), 0);
}

TEST_P(BatchForeignKeys, d3_violation_of_a_unit_that_throws_is_undone_too) {
    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("insert into child values (1, 99)");
                throw std::runtime_error("mine");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"mine", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchInOneOrder, d8_deferred_checking_ends_with_its_unit) {
    write_line line(db);
    line.add([this] {
        db.write([](transaction& tx) {
            tx.exec("pragma defer_foreign_keys=1");
            tx.exec("insert into strict_child values (1, 5)");
            tx.exec("insert into parent values (5)");
        });
    });
    ending inner;
    line.add([&] {
        db.write([&](transaction& tx) {
            inner = ending_of([&] { tx.exec("insert into strict_child values (2, 99)"); });
        });
    });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), strings(2, "ok"));
    EXPECT_EQ(inner.name(), "SQLITE_CONSTRAINT");
    EXPECT_EQ(db.all<int>("select id from strict_child"), (std::vector{1}));
}

TEST_P(BatchInOneOrder, d8_deferred_checking_of_a_failed_unit_ends_too) {
    ending inner;
    write_line line(db);
    line.add([this] { db.exec("insert into t(id) values (1)"); });
    line.add([this] {
        db.write([](transaction& tx) {
            tx.exec("pragma defer_foreign_keys=1");
            throw std::runtime_error("mine");
        });
    });
    line.add([&] {
        db.write([&](transaction& tx) {
            inner = ending_of([&] { tx.exec("insert into strict_child values (2, 99)"); });
        });
    });

    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"ok", "mine", "ok"}));
    EXPECT_EQ(inner.name(), "SQLITE_CONSTRAINT");
}

TEST_P(BatchForeignKeys, d8_deferred_violation_fails_the_unit_that_asked_for_it) {
    const auto endings = around(
        [this] {
            db.write([](transaction& tx) {
                tx.exec("pragma defer_foreign_keys=1");
                tx.exec("insert into strict_child values (1, 99)");
            });
        },
        neighbours::only_once);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_CONSTRAINT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

}  // namespace
