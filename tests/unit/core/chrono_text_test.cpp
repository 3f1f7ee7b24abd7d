// Which texts are read as a point in time, and which are not.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::failure_of;
using namespace std::chrono;
using namespace std::chrono_literals;

constexpr auto midnight = sys_days(2026y / November / 30);

struct readable_text {
    std::string_view text;
    sys_time<nanoseconds> time;
};

constexpr readable_text readable_texts[] = {
    {"2026-11-30", midnight},
    {"2026-11-30T19:48", midnight + 19h + 48min},
    {"2026-11-30T19:48Z", midnight + 19h + 48min},
    {"2026-11-30T19:48:41", midnight + 19h + 48min + 41s},
    {"2026-11-30 19:48:41", midnight + 19h + 48min + 41s},
    {"2026-11-30t19:48:41z", midnight + 19h + 48min + 41s},
    {"2026-11-30T19:48:41.5Z", midnight + 19h + 48min + 41s + 500ms},
    {"2026-11-30T19:48:41,5Z", midnight + 19h + 48min + 41s + 500ms},
    {"2026-11-30 19:48:41.25", midnight + 19h + 48min + 41s + 250ms},
    {"2026-11-30T00:00:00.123456789Z", midnight + 123456789ns},
    {"2026-11-30T00:00:00.1234567899999Z", midnight + 123456789ns},
    {"2026-11-30T00:00:00.000000000000Z", midnight},
    {"2026-11-30T02:00:00+02:00", midnight},
    {"2026-11-30T02:00:00+0200", midnight},
    {"2026-11-30T02:00:00+02", midnight},
    {"2026-11-29T18:30:00-05:30", midnight},
    {"2026-11-30T23:59:59+23:59", midnight + 59s},
    {"2026-11-30T00:00:00-00:00", midnight},
    {"2026-11-30T23:59:60Z", midnight + 24h},
    {"1969-12-31T23:59:59.999999999Z", sys_time<nanoseconds>(-1ns)},
    {"1960-02-29T12:00:00.5Z", sys_days(1960y / February / 29) + 12h + 500ms},
};

class ReadableText : public testing::TestWithParam<readable_text> {};

TEST_P(ReadableText, is_read_as_its_time) {
    auto db = connection::open(":memory:");

    const auto read = db.one<sys_time<nanoseconds>>("select ?", GetParam().text);

    EXPECT_EQ(read, GetParam().time) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(Chrono, ReadableText, testing::ValuesIn(readable_texts));

constexpr std::string_view unreadable_texts[] = {
    "",
    " ",
    "now",
    "2026",
    "2026-11",
    "2026-1-30",
    "26-11-30",
    "2026-13-01",
    "2026-00-01",
    "2026-11-00",
    "2026-11-31",
    "2026-02-29",
    "2100-02-29",
    "20261130",
    "2026/11/30",
    "2026-11-30T",
    "2026-11-30 ",
    "2026-11-30T19",
    "2026-11-30T1948",
    "2026-11-30T24:00:00Z",
    "2026-11-30T19:60:00Z",
    "2026-11-30T19:48:61Z",
    "2026-11-30T19:48:41.",
    "2026-11-30T19:48:41.Z",
    "2026-11-30T19:48:41.5x",
    "2026-11-30T19:48:41ZZ",
    "2026-11-30T19:48:41 Z",
    "2026-11-30T19:48:41Z ",
    " 2026-11-30T19:48:41Z",
    "2026-11-30T19:48:41+",
    "2026-11-30T19:48:41+2",
    "2026-11-30T19:48:41+24:00",
    "2026-11-30T19:48:41+02:60",
    "2026-11-30T19:48:41+02:",
    "2026-11-30T19:48:41 Europe/Berlin",
    "2026-11-30X19:48:41Z",
    "2026-11-30T-1:48:41Z",
    "2026-11-30T19:48:4１Z",
    "12345-11-30T19:48:41Z",
    "19:48:41",
    "1796068121",
    "2461375.3254745",
};

class UnreadableText : public testing::TestWithParam<std::string_view> {};

TEST_P(UnreadableText, is_refused_and_shown) {
    auto db = connection::open(":memory:");

    const auto failure =
        failure_of([&] { return db.one<sys_seconds>("select ? as made", GetParam()); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "column 0 \"made\"");
    EXPECT_THAT(std::string(failure.message()),
                testing::HasSubstr("'" + std::string(GetParam()) + "'"));
}

INSTANTIATE_TEST_SUITE_P(Chrono, UnreadableText, testing::ValuesIn(unreadable_texts));

TEST(ChronoTexts, zero_byte_after_the_time_is_refused) {
    using namespace std::string_view_literals;
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<sys_seconds>("select ?", "2026-11-30T00:00:00Z\0"sv),
                 skiff::conversion);
}

}  // namespace
