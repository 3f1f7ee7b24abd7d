// connection::interrupt from another thread: it stops what runs, and nothing that comes later.
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace {

using skiff_test::failure_of;

/// A database whose SQL function `started()` tells that a statement runs.
class running_query : public testing::Test {
  protected:
    running_query() : cx(skiff::connection::open(":memory:")) {
        cx.exec("create table t(x)");
        cx.define_function("started", [this] {
            if (!begun.try_wait()) begun.count_down();
            return 1;
        });
    }

    std::latch begun{1};
    skiff::connection cx;
    static constexpr const char* endless =
        "with recursive n(i) as (select started() union all select i + 1 from n) "
        "select count(*) from n";
    static constexpr const char* endless_write =
        "insert into t with recursive n(i) as (select started() union all select i + 1 from n) "
        "select i from n";
};

using Interrupt = running_query;

TEST_F(Interrupt, running_query_is_stopped_and_the_next_call_works) {
    std::jthread other([&] {
        begun.wait();
        cx.interrupt();
    });

    const auto failed = failure_of([&] { return cx.one<int>(endless); });

    EXPECT_EQ(failed.code(), skiff::errc::interrupted);
    EXPECT_EQ(failed.message(), "interrupted");
    EXPECT_EQ(failed.operation(), "step");
    EXPECT_EQ(failed.sql(), endless);
    other.join();
    EXPECT_EQ(cx.one<int>("select 7"), 7);
}

TEST_F(Interrupt, error_is_thrown_as_its_own_class) {
    std::jthread other([&] {
        begun.wait();
        cx.interrupt();
    });

    EXPECT_THROW(static_cast<void>(cx.one<int>(endless)), skiff::interrupted);
}

TEST_F(Interrupt, nothing_running_means_nothing_stopped) {
    std::jthread([&] { cx.interrupt(); }).join();

    EXPECT_EQ(cx.one<int>("select started()"), 1);
    cx.interrupt();
    EXPECT_EQ(cx.all<int>("select 1 union all select 2").size(), 2U);
}

TEST_F(Interrupt, stopped_write_in_a_transaction_is_told_by_the_guard) {
    std::jthread other([&] {
        begun.wait();
        cx.interrupt();
    });
    auto tx = cx.begin();
    tx.exec("insert into t values (-1)");

    const auto failed = failure_of([&] { tx.exec(endless_write); });

    EXPECT_EQ(failed.code(), skiff::errc::interrupted);
    EXPECT_FALSE(tx.is_open());
    EXPECT_THROW(tx.exec("insert into t values (1)"), skiff::error);
    EXPECT_THROW(tx.commit(), skiff::error);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
    cx.exec("insert into t values (1)");
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 1);
}

TEST_F(Interrupt, cursor_that_waits_is_stopped_at_its_next_row) {
    cx.exec("insert into t values (1), (2), (3)");
    auto rows = cx.rows<int>("select x from t");
    auto at = rows.begin();

    std::jthread([&] { cx.interrupt(); }).join();

    EXPECT_THROW(++at, skiff::interrupted);
    rows.close();
    EXPECT_EQ(cx.all<int>("select x from t").size(), 3U);
}

TEST_F(Interrupt, many_rounds_stop_each_query_once) {
    for (int round = 0; round < 200; ++round) {
        std::latch running{1};
        cx.define_function("now_running", [&running] {
            if (!running.try_wait()) running.count_down();
            return 1;
        });
        std::jthread other([&] {
            running.wait();
            cx.interrupt();
        });
        EXPECT_THROW(static_cast<void>(cx.one<int>(
                         "with recursive n(i) as (select now_running() union all select i + 1 "
                         "from n) select count(*) from n")),
                     skiff::interrupted);
        other.join();
        EXPECT_EQ(cx.one<int>("select 5"), 5);
    }
}

}  // namespace
