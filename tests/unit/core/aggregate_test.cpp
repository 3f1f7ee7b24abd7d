// Aggregates from C++ classes: groups, empty groups, prototypes, and what happens when they throw.
// Window functions have aggregate_window_test.cpp.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using skiff::connection;
using skiff_test::failure_of;
using testing::ElementsAre;

struct median {
    std::vector<double> seen;
    void step(std::optional<double> number) {
        if (number) seen.push_back(*number);
    }
    std::optional<double> finish() {
        if (seen.empty()) return std::nullopt;
        std::ranges::sort(seen);
        return seen[seen.size() / 2];
    }
};

struct joined {
    std::string separator = ",";
    std::string text;
    void step(std::string_view part) {
        if (!text.empty()) text += separator;
        text += part;
    }
    std::string finish() const { return text; }
};

/// Counts its living objects, so that a leak shows without a sanitizer, too.
struct counted {
    std::shared_ptr<int> living = std::make_shared<int>();
    int steps_until_failure = -1;
    void step(int) {
        if (steps_until_failure-- == 0) throw std::out_of_range("step");
    }
    int finish() { return static_cast<int>(living.use_count()); }
};

struct failing_finish : counted {
    int finish() { throw std::length_error("finish"); }
};

connection with_groups() {
    auto db = connection::open(":memory:");
    db.exec_script(
        "create table t(k, x);"
        "insert into t values ('a', 3), ('a', 1), ('a', 2), ('b', 10), ('c', null)");
    return db;
}

TEST(Aggregates, each_group_has_its_own_state) {
    auto db = with_groups();
    db.define_aggregate<median>("median_of");

    const auto found = db.all<std::pair<std::string, std::optional<double>>>(
        "select k, median_of(x) from t group by k order by k");

    EXPECT_THAT(found,
                ElementsAre(std::pair("a", std::optional(2.0)), std::pair("b", std::optional(10.0)),
                            std::pair("c", std::optional<double>())));
}

TEST(Aggregates, group_without_rows_finishes_a_fresh_copy) {
    auto db = with_groups();
    db.define_aggregate<median>("median_of");
    db.define_aggregate("joined", joined{.separator = "-", .text = "start"});

    EXPECT_EQ(db.one<std::optional<double>>("select median_of(x) from t where 0"), std::nullopt);
    EXPECT_EQ(db.one<std::string>("select joined(k) from t where 0"), "start");
}

TEST(Aggregates, prototype_carries_settings_into_each_group) {
    auto db = with_groups();
    db.define_aggregate("joined", joined{.separator = " + ", .text = {}});

    EXPECT_EQ(db.one<std::string>("select joined(k) from t"), "a + a + a + b + c");
    EXPECT_EQ(db.one<std::string>("select joined(k) from t"), "a + a + a + b + c");
}

TEST(Aggregates, aggregate_may_take_several_arguments_and_any_number) {
    struct weighted {
        double sum = 0;
        void step(double value, double weight) { sum += value * weight; }
        double finish() const { return sum; }
    };
    struct count_all {
        int arguments = 0;
        void step(const skiff::function_arguments& given) { arguments += given.size(); }
        int finish() const { return arguments; }
    };
    auto db = with_groups();
    db.define_aggregate<weighted>("weighted");
    db.define_aggregate<count_all>("count_all");

    EXPECT_EQ(db.one<double>("select weighted(x, 2) from t where x is not null"), 32.0);
    EXPECT_EQ(db.one<int>("select count_all(1, 2, 3) from t"), 15);
    EXPECT_EQ(db.one<int>("select count_all() from t"), 0);
}

TEST(Aggregates, distinct_filter_and_order_by_are_honoured) {
    auto db = with_groups();
    db.define_aggregate<joined>("joined");

    EXPECT_EQ(db.one<std::string>("select joined(distinct k) from t"), "a,b,c");
    EXPECT_EQ(db.one<std::string>("select joined(k) filter (where x > 1) from t"), "a,a,b");
    EXPECT_EQ(db.one<std::string>("select joined(k order by k desc) from t"), "c,b,a,a,a");
}

TEST(Aggregates, kb_v9_result_may_be_optional_or_variant) {
    struct last {
        skiff::value seen;
        void step(skiff::value given) { seen = std::move(given); }
        skiff::value finish() { return std::move(seen); }
    };
    auto db = connection::open(":memory:");
    db.define_aggregate<last>("last_of");

    EXPECT_EQ(db.one<std::string>("select typeof(last_of(column1)) from (values (1.5), ('a'))"),
              "text");
    EXPECT_EQ(db.one<skiff::value>("select last_of(1) where 0"), skiff::value(skiff::null));
}

TEST(Aggregates, throwing_step_reaches_the_caller_and_leaks_nothing) {
    auto db = with_groups();
    const counted prototype{.steps_until_failure = 2};
    db.define_aggregate("counted", prototype);

    EXPECT_THROW((void)db.one<int>("select counted(x) from t where x is not null"),
                 std::out_of_range);
    EXPECT_THROW((void)db.all<int>("select counted(x) from t where k = 'a' group by k"),
                 std::out_of_range);

    EXPECT_EQ(prototype.living.use_count(), 2);  // the prototype here and the registered one
}

TEST(Aggregates, throwing_finish_reaches_the_caller_and_leaks_nothing) {
    auto db = with_groups();
    failing_finish prototype;
    db.define_aggregate("failing", prototype);

    EXPECT_THROW((void)db.one<int>("select failing(x) from t where x > 0"), std::length_error);
    EXPECT_THROW((void)db.one<int>("select failing(x) from t where 0"), std::length_error);

    EXPECT_EQ(prototype.living.use_count(), 2);
    EXPECT_EQ(db.one<int>("select 6 * 7"), 42);
}

TEST(Aggregates, query_that_is_left_early_leaks_nothing) {
    auto db = with_groups();
    const counted prototype;
    db.define_aggregate("counted", prototype);

    for (const int living : db.rows<int>("select counted(x) from t where x > 0 group by k")) {
        EXPECT_EQ(living, 3);
        break;
    }

    EXPECT_EQ(prototype.living.use_count(), 2);
}

TEST(Aggregates, two_runs_of_one_aggregate_do_not_mix) {
    auto db = with_groups();
    db.define_aggregate<joined>("joined");

    EXPECT_EQ(db.one<std::string>("select joined(k) || '/' || joined(k || x) from t where x > 1"),
              "a,a,b/a3,a2,b10");
    EXPECT_EQ(db.all<std::string>("select (select joined(k) from t b where b.x < a.x) from t a "
                                  "where a.x > 1 order by a.x"),
              (std::vector<std::string>{"a", "a,a", "a,a,a"}));
}

TEST(Aggregates, argument_of_another_type_is_refused_by_place) {
    auto db = with_groups();
    db.define_aggregate<joined>("joined");

    const auto failure = failure_of([&] { return db.one<std::string>("select joined(x) from t"); });

    EXPECT_EQ(failure.code(), skiff::errc::conversion);
    EXPECT_EQ(failure.object(), "argument 1 of joined()");
}

TEST(Aggregates, prototype_is_destroyed_with_its_connection) {
    auto db = with_groups();
    const counted prototype;
    db.define_aggregate("counted", prototype);

    db.close();

    EXPECT_EQ(prototype.living.use_count(), 1);
}

}  // namespace
