// Functions that throw: the exception itself reaches the caller, the statement has failed, and the
// connection goes on.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;

struct own_exception {
    int number;
};

class FunctionErrors : public testing::Test {
  protected:
    FunctionErrors() {
        db.exec_script("create table t(x); insert into t values (1), (2), (3)");
        db.define_function("fail", [](int number) -> int {
            throw std::out_of_range("number " + std::to_string(number));
        });
        db.define_function("fail_on", [](int number, int wanted) {
            if (number == wanted) throw std::out_of_range("number " + std::to_string(number));
            return number;
        });
    }
    ~FunctionErrors() override { EXPECT_EQ(db.one<int>("select 6 * 7"), 42); }

    connection db = connection::open(":memory:");
};

TEST_F(FunctionErrors, exception_reaches_the_caller_as_it_is) {
    try {
        static_cast<void>(db.one<int>("select fail(5)"));
        FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& thrown) {
        EXPECT_STREQ(thrown.what(), "number 5");
    }
}

TEST_F(FunctionErrors, exception_reaches_the_caller_of_every_call) {
    auto held = db.prepare("select fail(x) from t");
    const auto* sql = "select fail(x) from t";

    EXPECT_THROW(db.exec(sql), std::out_of_range);
    EXPECT_THROW((void)db.maybe<int>(sql), std::out_of_range);
    EXPECT_THROW((void)db.all<int>(sql), std::out_of_range);
    EXPECT_THROW(for (const auto& row : db.query(sql)) static_cast<void>(row), std::out_of_range);
    EXPECT_THROW(for (const int each : db.rows<int>(sql)) static_cast<void>(each),
                 std::out_of_range);
    EXPECT_THROW((void)held.all<int>(), std::out_of_range);
    EXPECT_THROW(db.exec_script("select 1; select fail(2)"), std::out_of_range);
    EXPECT_THROW(db.insert_many("insert into t values (fail(?))", std::vector{1, 2}),
                 std::out_of_range);
}

TEST_F(FunctionErrors, exception_that_is_no_std_exception_reaches_the_caller) {
    db.define_function("fail_own", []() -> int { throw own_exception{7}; });

    try {
        static_cast<void>(db.one<int>("select fail_own()"));
        FAIL() << "nothing was thrown";
    } catch (const own_exception& thrown) {
        EXPECT_EQ(thrown.number, 7);
    }
}

TEST_F(FunctionErrors, own_error_of_skiff_reaches_the_caller_as_it_is) {
    db.define_function("look_up",
                       [this](int id) { return db.one<int>("select x from t where x = ?", id); });

    EXPECT_EQ(db.one<int>("select look_up(2)"), 2);
    EXPECT_THROW((void)db.one<int>("select look_up(99)"), skiff::no_row);
}

TEST_F(FunctionErrors, out_of_memory_reaches_the_caller_as_it_is) {
    db.define_function("fail_memory", []() -> int { throw std::bad_alloc(); });

    EXPECT_THROW((void)db.one<int>("select fail_memory()"), std::bad_alloc);
}

TEST_F(FunctionErrors, rows_before_the_exception_have_been_seen) {
    std::vector<int> seen;

    EXPECT_THROW(for (const int each : db.rows<int>("select fail_on(x, 3) from t order by rowid"))
                     seen.push_back(each),
                 std::out_of_range);

    EXPECT_THAT(seen, testing::ElementsAre(1, 2));
}

TEST_F(FunctionErrors, failed_write_has_written_nothing) {
    EXPECT_THROW(db.exec("insert into t select fail_on(x, 3) + 100 from t order by rowid"),
                 std::out_of_range);
    EXPECT_THROW(db.exec("update t set x = fail_on(x, 3) + 100"), std::out_of_range);

    EXPECT_EQ(db.all<int>("select x from t order by rowid"), (std::vector{1, 2, 3}));
    EXPECT_FALSE(db.in_transaction());
}

TEST_F(FunctionErrors, transaction_around_it_stays_open) {
    auto tx = db.begin();
    tx.exec("insert into t values (4)");

    EXPECT_THROW(tx.exec("insert into t values (fail(5))"), std::out_of_range);
    tx.exec("insert into t values (6)");
    tx.commit();

    EXPECT_EQ(db.all<int>("select x from t order by rowid"), (std::vector{1, 2, 3, 4, 6}));
}

TEST_F(FunctionErrors, next_error_of_the_connection_is_its_own) {
    EXPECT_THROW((void)db.one<int>("select fail(1)"), std::out_of_range);

    EXPECT_EQ(code_of([&] { return db.exec("select * from nowhere"); }), errc::generic);
    EXPECT_EQ(code_of([&] { return db.one<int>("select abs(-9223372036854775808)"); }),
              errc::generic);
}

TEST_F(FunctionErrors, exception_is_forgotten_when_its_query_is_given_up) {
    struct failing_end {
        void step(int) {}
        void inverse(int) {}
        [[nodiscard]] int value() const { return 1; }
        [[nodiscard]] int finish() const { throw std::out_of_range("end"); }
    };
    db.define_window<failing_end>("failing_end");
    auto other = db.query(
        "select abs(case x when 2 then -9223372036854775808 else x end) from t order by rowid");
    auto at = other.begin();
    {
        // Left early: the reset finishes the window, which throws where nobody can catch it.
        auto given_up = db.query("select failing_end(x) over (order by rowid) from t");
        static_cast<void>(given_up.begin());
    }

    EXPECT_EQ(code_of([&] { ++at; }), errc::generic);
}

TEST_F(FunctionErrors, exception_of_an_inner_query_is_not_taken_for_the_outer_ones) {
    db.define_function("tolerant", [this](int number) {
        try {
            return db.one<int>("select fail(?)", number);
        } catch (const std::out_of_range&) {
            return -number;
        }
    });

    EXPECT_EQ(db.all<int>("select tolerant(x) from t order by rowid"), (std::vector{-1, -2, -3}));
}

TEST_F(FunctionErrors, first_exception_is_the_one_that_is_reported) {
    struct failing_twice {
        void step(int) { throw std::out_of_range("step"); }
        int finish() { throw std::runtime_error("finish"); }
    };
    db.define_aggregate<failing_twice>("failing_twice");

    EXPECT_THROW((void)db.one<int>("select failing_twice(x) from t"), std::out_of_range);
}

TEST_F(FunctionErrors, exception_while_preparing_is_an_error_and_not_kept) {
    db.define_function("constant_failure", []() -> int { throw std::out_of_range("constant"); },
                       {.deterministic = true});
    db.exec("create index t_x on t(x)");

    EXPECT_ANY_THROW((void)db.all<int>("select x from t where x > constant_failure()"));

    EXPECT_EQ(code_of([&] { return db.one<int>("select abs(-9223372036854775808)"); }),
              errc::generic);
}

TEST_F(FunctionErrors, statement_sees_the_text_of_the_exception) {
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db.native_handle(), "select fail(5)", -1, &statement, nullptr),
              SQLITE_OK);

    EXPECT_EQ(sqlite3_step(statement), SQLITE_ERROR);
    EXPECT_STREQ(sqlite3_errmsg(db.native_handle()), "number 5");
    sqlite3_finalize(statement);
}

TEST_F(FunctionErrors, error_text_with_any_bytes_is_harmless) {
    db.define_function("fail_text", []() -> int { throw std::runtime_error("%s %n \xff"); });

    EXPECT_THROW((void)db.one<int>("select fail_text()"), std::runtime_error);
}

}  // namespace
