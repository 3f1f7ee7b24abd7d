// How long a caller waits for the writer, what cuts the wait, and that nothing was done then. And
// work outside transactions: what it may do, what it may not leave behind.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::connection;
using skiff::database;
using skiff::errc;
using skiff::transaction;
using strings = std::vector<std::string>;

constexpr const char* endless_select =
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 1000000000) "
    "select count(*) from n";

class WriterWait : public testing::Test {
  protected:
    WriterWait() { db.exec("create table t(id integer primary key, v)"); }
    int rows() { return db.one<int>("select count(*) from t"); }
    void insert(const skiff::write_options& options) {
        db.write([](transaction& tx) { tx.exec("insert into t values (null, 1)"); }, options);
    }

    temp_dir folder;
    database db = database::open(folder / "app.db", without_disk());
};

TEST_F(WriterWait, deadline_in_line_is_a_timeout) {
    write_line line(db);
    skiff::write_options options;
    options.deadline = 20ms;

    const auto failure = failure_of([&] { insert(options); });
    static_cast<void>(line.finish());

    EXPECT_EQ(failure.code(), errc::timeout);
    EXPECT_NE(std::string(failure.what()).find("nothing was done"), std::string::npos);
    EXPECT_EQ(rows(), 0);
}

TEST_F(WriterWait, deadline_in_line_of_work_outside_transactions_is_a_timeout) {
    write_line line(db);
    bool ran = false;

    const auto code =
        code_of([&] { db.write_without_transaction([&](connection&) { ran = true; }, 20ms); });
    static_cast<void>(line.finish());

    EXPECT_EQ(code, errc::timeout);
    EXPECT_FALSE(ran);
}

TEST_F(WriterWait, stop_in_line_is_interrupted) {
    std::stop_source source;
    skiff::write_options options;
    options.stop = source.get_token();
    write_line line(db);
    line.add([&] { insert(options); });

    source.request_stop();
    wait_until([&] { return callers_in_line(db) == 1; }, "the caller to leave");
    const auto endings = line.finish();

    EXPECT_EQ(names_of(endings), (strings{"SQLITE_INTERRUPT"}));
    EXPECT_EQ(rows(), 0);
}

TEST_F(WriterWait, stop_requested_before_runs_nothing) {
    std::stop_source source;
    source.request_stop();
    skiff::write_options options;
    options.stop = source.get_token();

    const auto code = code_of([&] { insert(options); });

    EXPECT_EQ(code, errc::interrupted);
    EXPECT_EQ(rows(), 0);
}

TEST_F(WriterWait, deadline_passed_before_runs_nothing) {
    skiff::write_options options;
    options.deadline = skiff::deadline::clock::now() - 1ms;

    const auto code = code_of([&] { insert(options); });

    EXPECT_EQ(code, errc::timeout);
    EXPECT_EQ(rows(), 0);
}

TEST_F(WriterWait, deadline_that_does_not_pass_changes_nothing) {
    skiff::write_options options;
    options.deadline = 1h;

    insert(options);

    EXPECT_EQ(rows(), 1);
}

TEST_F(WriterWait, deadline_cuts_the_statement_that_runs) {
    skiff::write_options options;
    options.deadline = 50ms;

    const auto failure = failure_of([&] {
        db.write(
            [](transaction& tx) {
                tx.exec("insert into t values (1, 1)");
                return tx.one<std::int64_t>(endless_select);
            },
            options);
    });

    EXPECT_EQ(failure.code(), errc::interrupted);
    EXPECT_NE(std::string(failure.what()).find("the deadline passed"), std::string::npos);
    EXPECT_EQ(rows(), 0);
}

// caller A                       caller B
// stop requested in its closure
// its statement is cut
//                                runs a statement of some length on the same connection
TEST_F(WriterWait, stop_of_a_call_that_has_returned_cuts_nobody) {
    std::stop_source source;
    skiff::write_options options;
    options.stop = source.get_token();
    insert(options);

    source.request_stop();
    const auto count = db.write([](transaction& tx) {
        return tx.one<int>(
            "with recursive n(i) as (select 1 union all select i + 1 from n "
            "limit 50000) select count(*) from n");
    });

    EXPECT_EQ(count.value, 50000);
}

class WithoutTransaction : public WriterWait {};

TEST_F(WithoutTransaction, vacuum_and_pragmas_run) {
    std::string mode;

    db.write_without_transaction([&](connection& writer) {
        writer.exec("vacuum");
        writer.exec("pragma wal_checkpoint(truncate)");
        mode = writer.one<std::string>("pragma journal_mode");
    });

    EXPECT_EQ(mode, "wal");
}

TEST_F(WithoutTransaction, attached_file_is_written_and_detached) {
    db.exec("insert into t values (1, 1)");

    db.write_without_transaction([&](connection& writer) {
        writer.exec("attach ? as other", (folder / "other.db").string());
        writer.exec("create table other.copy as select * from t");
        writer.exec("detach other");
    });

    EXPECT_EQ(number_in(folder / "other.db", "select count(*) from copy"), 1);
}

TEST_F(WithoutTransaction, own_transaction_inside_is_committed) {
    db.write_without_transaction([](connection& writer) {
        auto tx = writer.begin();
        tx.exec("insert into t values (1, 1)");
        tx.commit();
    });

    EXPECT_EQ(rows(), 1);
}

TEST_F(WithoutTransaction, transaction_left_open_is_rolled_back_and_reported) {
    const auto code = code_of([&] {
        db.write_without_transaction([](connection& writer) {
            writer.exec("begin");
            writer.exec("insert into t values (1, 1)");
        });
    });
    db.exec("insert into t values (2, 2)");

    EXPECT_EQ(code, errc::misuse);
    EXPECT_EQ(db.all<int>("select id from t"), (std::vector{2}));
}

TEST_F(WithoutTransaction, transaction_left_open_by_an_exception_is_rolled_back) {
    EXPECT_THROW(db.write_without_transaction([](connection& writer) {
        writer.exec("begin");
        writer.exec("insert into t values (1, 1)");
        throw std::runtime_error("mine");
    }),
                 std::runtime_error);

    db.exec("insert into t values (2, 2)");

    EXPECT_EQ(db.all<int>("select id from t"), (std::vector{2}));
}

TEST_F(WithoutTransaction, statement_prepared_there_is_not_found_by_a_closure) {
    db.write_without_transaction([](connection& writer) {
        writer.exec("begin");
        writer.exec("commit");
        writer.exec("insert or rollback into t values (1, 1)");
    });
    strings inner;

    db.write([&](transaction& tx) {
        for (const char* sql : {"begin", "commit", "insert or rollback into t values (1, 1)"}) {
            inner.push_back(ending_of([&] { tx.exec(sql); }).name());
        }
    });

    EXPECT_EQ(inner, strings(3, "SKIFF_REFUSED"));
}

TEST_F(WithoutTransaction, loop_left_running_is_ended) {
    db.exec("insert into t values (1, 1), (2, 2)");
    std::optional<skiff::row_range> left;
    db.write_without_transaction([&](connection& writer) {
        left.emplace(writer.query("select * from t"));
        left->begin();
    });

    db.exec("insert into t values (3, 3)");
    left.reset();

    EXPECT_EQ(rows(), 3);
    EXPECT_EQ(raw_database(folder / "app.db").number("pragma wal_checkpoint(truncate)"), 0);
}

TEST_F(WithoutTransaction, deadline_cuts_what_runs) {
    const auto code = code_of([&] {
        db.write_without_transaction(
            [](connection& writer) { static_cast<void>(writer.one<std::int64_t>(endless_select)); },
            50ms);
    });

    EXPECT_EQ(code, errc::interrupted);
}

TEST_F(WithoutTransaction, goes_with_nobody) {
    const auto before = db.stats();
    std::vector<bool> in_transaction;
    write_line line(db);
    line.add([&] { db.exec("insert into t values (1, 1)"); });
    line.add([&] {
        db.write_without_transaction(
            [&](connection& writer) { in_transaction.push_back(writer.in_transaction()); });
    });
    line.add([&] { db.exec("insert into t values (2, 2)"); });

    EXPECT_EQ(names_of(line.finish()), strings(3, "ok"));

    EXPECT_EQ(in_transaction, (std::vector{false}));
    EXPECT_EQ(db.stats().commits - before.commits, 2U);
}

TEST_F(WithoutTransaction, setting_of_the_busy_handler_is_left_alone_by_limits) {
    db.write_without_transaction([](connection& writer) { writer.exec("select 1"); }, 1h);
    raw_database stock(folder / "app.db");
    stock.exec("begin immediate");
    skiff::write_options options;
    options.deadline = 50ms;

    const auto code = code_of([&] { insert(options); });

    EXPECT_EQ(code, errc::timeout);
}

TEST_F(WithoutTransaction, closing_the_connection_is_refused) {
    const auto code =
        code_of([&] { db.write_without_transaction([](connection& writer) { writer.close(); }); });

    EXPECT_EQ(code, errc::refused);
    db.exec("insert into t values (1, 1)");
}

TEST_F(WithoutTransaction, what_was_made_from_the_connection_is_closed_after) {
    std::optional<skiff::statement> statement;
    std::optional<transaction> begun;
    const auto code = code_of([&] {
        db.write_without_transaction([&](connection& writer) {
            statement.emplace(writer.prepare("insert into t values (null, 1)"));
            begun.emplace(writer.begin());
        });
    });

    EXPECT_EQ(code, errc::misuse) << "the transaction was left open";
    EXPECT_EQ(code_of([&] { statement->exec(); }), errc::closed);
    EXPECT_EQ(code_of([&] { begun->exec("delete from t"); }), errc::misuse);
    db.write([&](transaction&) {
        EXPECT_EQ(code_of([&] { begun->exec("delete from t"); }), errc::misuse);
    });
    EXPECT_EQ(rows(), 0);
}

TEST_F(WithoutTransaction, connection_that_is_moved_away_ends_writing_and_nothing_else) {
    std::optional<connection> stolen;

    const auto code = code_of([&] {
        db.write_without_transaction([&](connection& writer) { stolen = std::move(writer); });
    });

    EXPECT_EQ(code, errc::misuse);
    EXPECT_EQ(code_of([&] { db.exec("insert into t values (1, 1)"); }), errc::closed);
    EXPECT_EQ(rows(), 0);
    stolen.reset();
    db.close();
}

}  // namespace
