// Time in and out of SQLite: points in time as ISO-8601 text or as a count, durations, calendar
// days. Which texts are read has chrono_text_test.cpp.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <vector>

namespace chrono_test {

/// Tenths of a second: a time point of this test's own, so that storing it as a count concerns no
/// other test.
using tenths = std::chrono::duration<std::int64_t, std::deci>;
using tenths_point = std::chrono::sys_time<tenths>;

}  // namespace chrono_test

template <>
inline constexpr auto skiff::time_storage<chrono_test::tenths_point> = skiff::time_format::epoch;

namespace {

using chrono_test::tenths;
using chrono_test::tenths_point;
using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using namespace std::chrono;
using namespace std::chrono_literals;

template <class Duration>
using at = sys_time<Duration>;

/// The text that `time` is stored as.
template <class Time>
std::string stored(connection& db, Time time) {
    return db.one<std::string>("select ?", time);
}

// -- points in time as text

TEST(Chrono, time_point_is_written_as_iso_8601_in_its_own_precision) {
    auto db = connection::open(":memory:");
    const auto day = sys_days(2026y / November / 30);
    const auto moment = day + 19h + 48min + 41s;

    EXPECT_EQ(stored(db, moment), "2026-11-30T19:48:41Z");
    EXPECT_EQ(stored(db, moment + 250ms), "2026-11-30T19:48:41.250Z");
    EXPECT_EQ(stored(db, moment + 7us), "2026-11-30T19:48:41.000007Z");
    EXPECT_EQ(stored(db, moment + 1ns), "2026-11-30T19:48:41.000000001Z");
    EXPECT_EQ(stored(db, time_point_cast<minutes>(moment)), "2026-11-30T19:48:00Z");
    EXPECT_EQ(stored(db, day), "2026-11-30T00:00:00Z");
}

template <class Duration>
class EveryPrecision : public testing::Test {};

using precisions =
    testing::Types<nanoseconds, microseconds, milliseconds, seconds, minutes, hours, days>;
TYPED_TEST_SUITE(EveryPrecision, precisions);

TYPED_TEST(EveryPrecision, time_point_round_trips) {
    auto db = connection::open(":memory:");
    const std::vector<at<TypeParam>> times{
        at<TypeParam>(TypeParam(0)),  at<TypeParam>(TypeParam(1)),
        at<TypeParam>(TypeParam(-1)), sys_days(1969y / December / 31),
        sys_days(1900y / March / 1),  sys_days(2024y / February / 29),
        sys_days(2262y / April / 11)};

    for (const auto& each : times) {
        EXPECT_EQ(db.one<at<TypeParam>>("select ?", each), each) << stored(db, each);
    }
}

TEST(Chrono, years_from_0_to_9999_round_trip) {
    auto db = connection::open(":memory:");

    for (const auto day :
         {0y / January / 1, 1y / January / 1, 1582y / October / 15, 9999y / December / 31}) {
        const auto moment = sys_days(day) + 23h + 59min + 59s + 999ms;
        EXPECT_EQ(db.one<at<milliseconds>>("select ?", moment), moment) << stored(db, moment);
    }
    EXPECT_EQ(stored(db, sys_days(9999y / December / 31)), "9999-12-31T00:00:00Z");
}

TEST(Chrono, year_that_has_no_four_digits_is_refused_on_bind) {
    auto db = connection::open(":memory:");

    for (const auto time :
         {sys_seconds(sys_days(10000y / January / 1)), sys_seconds(sys_days(-1y / December / 31)),
          sys_seconds::max(), sys_seconds::min()}) {
        EXPECT_EQ(code_of([&] { return db.exec("select ?", time); }), errc::conversion)
            << time.time_since_epoch().count();
    }
}

TEST(Chrono, texts_sort_as_the_times_do) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x)");
    const std::vector<at<milliseconds>> times{sys_days(2026y / 1 / 2) + 5ms,
                                              sys_days(1950y / 1 / 2), sys_days(2026y / 1 / 2),
                                              sys_days(9999y / 1 / 1), sys_days(0y / 1 / 1)};

    db.insert_many("insert into t values (?)", times);

    auto sorted = times;
    std::ranges::sort(sorted);
    EXPECT_EQ(db.all<at<milliseconds>>("select x from t order by x"), sorted);
}

TEST(Chrono, sqlite_understands_what_is_written) {
    auto db = connection::open(":memory:");
    const auto moment = sys_days(2026y / November / 30) + 19h + 48min + 41s;

    EXPECT_EQ(db.one<std::string>("select datetime(?)", moment), "2026-11-30 19:48:41");
    EXPECT_EQ(db.one<std::string>("select datetime(?)", moment + 999'999'999ns),
              "2026-11-30 19:48:41");
    EXPECT_EQ(db.one<std::string>("select strftime('%f', ?)", moment + 250ms), "41.250");
    EXPECT_EQ(db.one<std::int64_t>("select unixepoch(?)", moment),
              moment.time_since_epoch().count());
    EXPECT_EQ(db.one<std::string>("select date(?)", 1969y / December / 31), "1969-12-31");
}

TEST(Chrono, what_sqlite_writes_is_read) {
    auto db = connection::open(":memory:");
    const auto moment = sys_days(2026y / November / 30) + 19h + 48min + 41s;

    EXPECT_EQ(db.one<sys_seconds>("select datetime(1796068121, 'unixepoch')"), moment);
    EXPECT_EQ(db.one<sys_seconds>("select date(1796068121, 'unixepoch')"),
              sys_days(2026y / November / 30));
    EXPECT_NO_THROW((void)db.one<sys_seconds>("select current_timestamp"));
    EXPECT_NO_THROW((void)db.one<at<milliseconds>>("select datetime('now', 'subsec')"));
}

TEST(Chrono, finer_text_is_cut_towards_the_past) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<sys_seconds>("select '1970-01-01T00:00:01.999Z'"), sys_seconds(1s));
    EXPECT_EQ(db.one<sys_seconds>("select '1969-12-31T23:59:58.999Z'"), sys_seconds(-2s));
    EXPECT_EQ(db.one<sys_days>("select '1970-01-02T23:00:00Z'"), sys_days(days(1)));
    EXPECT_EQ(db.one<sys_days>("select '1969-12-31T12:00:00Z'"), sys_days(days(-1)));
    EXPECT_EQ(db.one<at<hours>>("select '1969-12-31T23:30:00Z'"), at<hours>(-1h));
}

TEST(Chrono, time_outside_the_types_range_is_refused) {
    using short_seconds = duration<std::int32_t>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<at<nanoseconds>>("select '2262-04-12T00:00:00Z'"); }),
              errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<at<nanoseconds>>("select '1677-09-20T00:00:00Z'"); }),
              errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<at<short_seconds>>("select '2038-01-19T03:14:08Z'"); }),
              errc::conversion);
    EXPECT_EQ(db.one<at<short_seconds>>("select '2038-01-19T03:14:07Z'").time_since_epoch().count(),
              std::numeric_limits<std::int32_t>::max());
}

TEST(Chrono, number_is_not_a_point_in_time) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<sys_seconds>("select 1796068121"); }), errc::conversion);
}

TEST(Chrono, unit_that_is_no_power_of_ten_round_trips) {
    using eighths = duration<std::int64_t, std::ratio<1, 8>>;
    using steps = duration<std::int64_t, std::ratio<3, 2>>;
    auto db = connection::open(":memory:");

    for (const int count : {0, 1, 3, 7, 8, 1001, -1, -2, -9}) {
        const at<eighths> eighth{eighths(count)};
        const at<steps> step{steps(count)};
        EXPECT_EQ(db.one<at<eighths>>("select ?", eighth), eighth);
        EXPECT_EQ(db.one<at<steps>>("select ?", step), step);
    }
    EXPECT_EQ(stored(db, at<eighths>(eighths(3))), "1970-01-01T00:00:00.375Z");
    EXPECT_EQ(stored(db, at<steps>(steps(3))), "1970-01-01T00:00:04.5Z");
}

TEST(Chrono, text_between_two_units_is_read_as_the_earlier) {
    using steps = duration<std::int64_t, std::ratio<3, 2>>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<at<steps>>("select '1970-01-01T00:00:04.499Z'"), at<steps>(steps(2)));
    EXPECT_EQ(db.one<at<steps>>("select '1969-12-31T23:59:59.999Z'"), at<steps>(steps(-1)));
}

// -- points in time as a count

TEST(Chrono, epoch_stores_a_count_of_the_types_own_unit) {
    auto db = connection::open(":memory:");
    const skiff::epoch<at<milliseconds>> moment{at<milliseconds>(-1500ms)};

    EXPECT_EQ(db.one<std::int64_t>("select ?", moment), -1500);
    EXPECT_EQ(db.one<skiff::epoch<at<milliseconds>>>("select -1500"), moment);
    EXPECT_EQ(code_of([&] { return db.one<skiff::epoch<sys_seconds>>("select '1970-01-01'"); }),
              errc::conversion);
}

TEST(Chrono, time_storage_makes_a_type_a_count) {
    auto db = connection::open(":memory:");
    const tenths_point moment(tenths(-15));

    EXPECT_EQ(db.one<std::int64_t>("select ?", moment), -15);
    EXPECT_EQ(db.one<tenths_point>("select -15"), moment);
    EXPECT_EQ(code_of([&] { return db.one<tenths_point>("select '1970-01-01'"); }),
              errc::conversion);
}

TEST(Chrono, epoch_takes_times_that_text_cannot) {
    auto db = connection::open(":memory:");
    const skiff::epoch<sys_seconds> last{sys_seconds::max()};

    EXPECT_EQ(db.one<skiff::epoch<sys_seconds>>("select ?", last), last);
}

// -- durations

TEST(Chrono, duration_is_a_count_of_its_own_unit) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::int64_t>("select ?", 1500ms), 1500);
    EXPECT_EQ(db.one<std::int64_t>("select ?", -2h), -2);
    EXPECT_EQ(db.one<nanoseconds>("select ?", nanoseconds::max()), nanoseconds::max());
    EXPECT_EQ(db.one<nanoseconds>("select ?", nanoseconds::min()), nanoseconds::min());
    EXPECT_EQ(db.one<duration<double>>("select 0.5"), 500ms);
    EXPECT_EQ(db.one<std::optional<seconds>>("select null"), std::nullopt);
}

TEST(Chrono, duration_of_another_class_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<seconds>("select 1.5"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<seconds>("select '5'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<duration<std::int8_t>>("select 128"); }),
              errc::conversion);
}

// -- calendar days

TEST(Chrono, calendar_day_round_trips) {
    auto db = connection::open(":memory:");

    for (const auto day : {2024y / February / 29, 0y / January / 1, 9999y / December / 31}) {
        EXPECT_EQ(db.one<year_month_day>("select ?", day), day);
    }
    EXPECT_EQ(stored(db, 2026y / November / 3), "2026-11-03");
}

TEST(Chrono, day_that_does_not_exist_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.exec("select ?", 2026y / February / 29); }),
              errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<year_month_day>("select '2026-02-29'"); }),
              errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", 10000y / January / 1); }), errc::conversion);
}

TEST(Chrono, day_with_a_time_of_day_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<year_month_day>("select '2026-11-30T00:00:00Z'"); }),
              errc::conversion);
}

}  // namespace
