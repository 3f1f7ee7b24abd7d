// Limits in shared transactions: a deadline or stop of one caller cuts that caller alone (D11), who
// may go together (batch_mix), and how large a shared transaction gets (D13).
#include "commit/queue.hpp"
#include "support/latch_gate.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::transaction;
using skiff::detail::batch_mix;
using skiff::detail::waiter;
using strings = std::vector<std::string>;

constexpr const char* endless_insert =
    "insert into t(id) with recursive n(i) as (select 1000 union all select i + 1 from n "
    "limit 1000000000) select i from n";
constexpr const char* endless_select =
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 1000000000) "
    "select count(*) from n";

class BatchLimits : public three_callers {
  protected:
    /// A caller that may run again and is stopped when it calls `stop`.
    template <class Work>
    work stoppable(Work inside) {
        return [this, inside] {
            std::stop_source source;
            skiff::write_options options;
            options.stop = source.get_token();
            options.rerun = skiff::rerun::allowed;
            db.write([&](transaction& tx) { inside(tx, source); }, options);
        };
    }
};
SKIFF_IN_EACH_POSITION(BatchLimits);

TEST_P(BatchLimits, d11_cut_write_does_not_cut_its_neighbours) {
    const auto endings = around(stoppable([](transaction& tx, std::stop_source& source) {
                                    source.request_stop();
                                    tx.exec(endless_insert);
                                }),
                                neighbours::repeatable);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_INTERRUPT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchLimits, d11_cut_write_that_is_swallowed_fails_its_unit) {
    const auto endings = around(stoppable([](transaction& tx, std::stop_source& source) {
                                    source.request_stop();
                                    EXPECT_THROW(tx.exec(endless_insert), skiff::interrupted);
                                }),
                                neighbours::repeatable);

    EXPECT_FALSE(endings[offender_index()].ok);
    EXPECT_EQ(offender_first(endings)[1], "ok");
    EXPECT_EQ(offender_first(endings)[2], "ok");
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchLimits, d11_cut_read_takes_nothing_from_its_neighbours) {
    const auto endings = around(stoppable([](transaction& tx, std::stop_source& source) {
                                    tx.exec("insert into t(id) values (2)");
                                    source.request_stop();
                                    static_cast<void>(tx.one<std::int64_t>(endless_select));
                                }),
                                neighbours::repeatable);

    EXPECT_EQ(offender_first(endings), (strings{"SQLITE_INTERRUPT", "ok", "ok"}));
    EXPECT_EQ(ids(), (std::vector{1, 3}));
    EXPECT_EQ(db.stats().batches_aborted, 0U);
}

TEST_P(BatchLimits, d11_deadline_of_one_caller_ends_that_one_alone) {
    const auto endings = around(
        [this] {
            skiff::write_options options;
            options.deadline = 200ms;
            options.rerun = skiff::rerun::allowed;
            db.write([](transaction& tx) { tx.exec(endless_insert); }, options);
        },
        neighbours::repeatable);

    const auto names = offender_first(endings);
    // On a slow machine the deadline passes in the line already.
    EXPECT_TRUE(names[0] == "SQLITE_INTERRUPT" || names[0] == "SKIFF_TIMEOUT") << names[0];
    EXPECT_EQ(names[1], "ok");
    EXPECT_EQ(names[2], "ok");
    EXPECT_EQ(ids(), (std::vector{1, 3}));
}

TEST_P(BatchLimits, d11_caller_that_can_be_cut_goes_alone_past_closures) {
    const auto before = db.stats();

    const auto endings = around(stoppable([](transaction& tx, std::stop_source&) {
                                    tx.exec("insert into t(id) values (2)");
                                }),
                                neighbours::only_once);

    EXPECT_EQ(names_of(endings), strings(3, "ok"));
    EXPECT_EQ(ids(), (std::vector{1, 2, 3}));
    const auto expected = GetParam() == position::middle ? 3U : 2U;
    EXPECT_EQ(db.stats().commits - before.commits, expected);
}

TEST_P(BatchLimits, d11_limits_are_gone_for_whoever_comes_next) {
    static_cast<void>(around(stoppable([](transaction& tx, std::stop_source& source) {
                                 source.request_stop();
                                 tx.exec(endless_insert);
                             }),
                             neighbours::repeatable));

    const auto sum = db.write([](transaction& tx) {
        return tx.one<std::int64_t>(
            "with recursive n(i) as (select 1 union all select i + 1 from n limit 20000) "
            "select count(*) from n");
    });

    EXPECT_EQ(sum.value, 20000);
}

TEST_P(BatchLimits, caller_that_wants_to_be_alone_is) {
    const auto before = db.stats();

    const auto endings = around(
        [this] {
            skiff::write_options options;
            options.alone = true;
            db.write([](transaction& tx) { tx.exec("insert into t(id) values (2)"); }, options);
        },
        neighbours::repeatable);

    EXPECT_EQ(names_of(endings), strings(3, "ok"));
    const auto expected = GetParam() == position::middle ? 3U : 2U;
    EXPECT_EQ(db.stats().commits - before.commits, expected);
}

class BatchBounds : public testing::Test {
  protected:
    /// Lines ten statements up and returns the figures of their commits alone.
    skiff::database_stats commit_ten(const skiff::open_options& options) {
        auto db = skiff::database::open(folder / "app.db", options);
        db.exec("create table t(id integer primary key)");
        const auto before = db.stats();
        write_line line(db);
        for (int i = 0; i < 10; ++i) line.add([&db] { db.exec("insert into t values (null)"); });
        EXPECT_EQ(names_of(line.finish()), strings(10, "ok"));
        auto after = db.stats();
        after.commits -= before.commits;
        after.writes -= before.writes;
        return after;
    }

    temp_dir folder;
};

TEST_F(BatchBounds, d13_callers_are_bounded_by_the_option) {
    auto options = without_disk();
    options.batch_callers_max = 4;

    const auto figures = commit_ten(options);

    EXPECT_EQ(figures.batch_writes_max, 4U);
    EXPECT_EQ(figures.commits, 3U);
    EXPECT_EQ(figures.writes, 10U);
}

TEST_F(BatchBounds, d13_default_takes_all_that_wait) {
    const auto figures = commit_ten(without_disk());

    EXPECT_EQ(figures.batch_writes_max, 10U);
    EXPECT_EQ(figures.commits, 1U);
}

TEST_F(BatchBounds, d13_time_that_is_up_ends_the_taking) {
    auto options = without_disk();
    options.batch_time_max = 0us;

    const auto figures = commit_ten(options);

    EXPECT_EQ(figures.batch_writes_max, 1U);
    EXPECT_EQ(figures.commits, 10U);
}

TEST_F(BatchBounds, d13_bound_below_one_is_one) {
    auto options = without_disk();
    options.batch_callers_max = -5;

    const auto figures = commit_ten(options);

    EXPECT_EQ(figures.batch_writes_max, 1U);
}

/// A caller as the mix sees it.
struct caller {
    explicit caller(bool repeatable, bool can_be_cut = false, bool alone = false) {
        unit.repeatable = repeatable;
        unit.alone = alone;
        self.unit = &unit;
        if (can_be_cut) self.deadline = 10s;
    }
    skiff::detail::write_unit unit;
    waiter self;
};

bool goes_with(const caller& first, const caller& second, bool schema_can_roll_back = false) {
    batch_mix mix;
    mix.note_schema(schema_can_roll_back);
    mix.add(first.self);
    return mix.admits(second.self);
}

TEST(BatchMix, first_caller_is_always_admitted) {
    batch_mix mix;
    mix.note_schema(true);

    EXPECT_TRUE(mix.admits(caller(false, true, true).self));
}

TEST(BatchMix, callers_without_limits_go_together) {
    EXPECT_TRUE(goes_with(caller(false), caller(false)));
    EXPECT_TRUE(goes_with(caller(true), caller(false)));
    EXPECT_TRUE(goes_with(caller(false), caller(true)));
}

TEST(BatchMix, d11_who_can_be_cut_goes_with_repeatable_ones_only) {
    EXPECT_TRUE(goes_with(caller(true, true), caller(true)));
    EXPECT_TRUE(goes_with(caller(true), caller(true, true)));
    EXPECT_FALSE(goes_with(caller(true, true), caller(false)));
    EXPECT_FALSE(goes_with(caller(false), caller(true, true)));
    EXPECT_FALSE(goes_with(caller(true), caller(false, true)));
    EXPECT_FALSE(goes_with(caller(false, true), caller(true)));
}

TEST(BatchMix, d7_schema_that_rolls_back_admits_repeatable_ones_only) {
    EXPECT_TRUE(goes_with(caller(true), caller(true), true));
    EXPECT_FALSE(goes_with(caller(false), caller(true), true));
    EXPECT_FALSE(goes_with(caller(true), caller(false), true));
}

TEST(BatchMix, alone_goes_with_nobody) {
    EXPECT_FALSE(goes_with(caller(true, false, true), caller(true)));
    EXPECT_FALSE(goes_with(caller(true), caller(true, false, true)));
}

TEST(BatchMix, work_outside_transactions_goes_with_nobody) {
    waiter exclusive;
    batch_mix mix;
    mix.add(caller(true).self);

    EXPECT_TRUE(exclusive.alone());
    EXPECT_FALSE(mix.admits(exclusive));
}

}  // namespace
