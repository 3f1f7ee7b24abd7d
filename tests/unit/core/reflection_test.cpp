// Plain structs as rows: which kinds of fields and structs are mapped field by field.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reflection_test {

enum class kind { small, large };

struct price {
    std::int64_t cents = 0;
    friend bool operator==(const price&, const price&) = default;
};

/// Every mapped kind of field in one struct, none of them twice.
struct everything {
    std::int64_t id = 0;
    bool flag = false;
    double ratio = 0;
    reflection_test::kind kind = kind::small;
    std::string name;
    std::u8string utf8;
    std::filesystem::path place;
    skiff::blob content;
    std::vector<unsigned char> raw;
    std::array<std::byte, 16> key{};
    std::array<unsigned char, 4> short_key{};
    std::optional<int> maybe_number;
    std::optional<std::string> maybe_text;
    std::optional<skiff::blob> maybe_blob;
    std::variant<std::monostate, std::int64_t, std::string> either;
    skiff::value anything;
    std::chrono::sys_time<std::chrono::milliseconds> made;
    std::chrono::year_month_day day{};
    std::chrono::milliseconds pause{};
    price cost;
    std::optional<price> discount;
};

}  // namespace reflection_test

template <>
struct skiff::mapping<reflection_test::price> {
    static reflection_test::price read(value_ref from) { return {from.read<std::int64_t>()}; }
    static void write(value_sink to, const reflection_test::price& given) { to.write(given.cents); }
};

namespace {

using reflection_test::everything;
using reflection_test::price;
using skiff::connection;
using skiff_test::failure_of;
using namespace std::chrono_literals;

everything sample() {
    everything made;
    made.id = 1;
    made.flag = true;
    made.ratio = 0.5;
    made.kind = reflection_test::kind::large;
    made.name = std::string("a\0b", 3);
    made.utf8 = u8"käse";
    made.place = "/some/where";
    made.content = {std::byte{0}, std::byte{255}};
    made.raw = {0, 1};
    made.key[15] = std::byte{9};
    made.short_key = {1, 2, 3, 4};
    made.maybe_text = "there";
    made.either = std::string("text");
    made.anything = 2.5;
    made.made = std::chrono::sys_days(2026y / 11 / 30) + 7ms;
    made.day = 2024y / 2 / 29;
    made.pause = 1500ms;
    made.cost = {1999};
    made.discount = price{500};
    return made;
}

TEST(Reflection, every_kind_of_field_round_trips) {
    auto db = connection::open(":memory:");
    const std::array rows{sample()};
    db.exec("create table t(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)");

    db.insert_many(
        "insert into t values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows);
    const auto back = db.one<everything>("select * from t");

    const auto expected = sample();
    EXPECT_TRUE(
        skiff::detail::with_fields(back, [](auto&... each) { return std::tie(each...); }) ==
        skiff::detail::with_fields(expected, [](auto&... each) { return std::tie(each...); }));
}

TEST(Reflection, fields_are_counted_right_for_every_kind_of_field) {
    struct aggregates {
        std::array<std::byte, 16> key;
        std::array<unsigned char, 3> tag;
    };
    struct wrappers {
        std::optional<std::string> text;
        std::variant<std::monostate, int> either;
        std::vector<std::byte> bytes;
        skiff::value anything;
    };
    struct single_optional {
        std::optional<int> only;
    };
    struct single_value {
        skiff::value only;
    };
    struct single_vector {
        skiff::blob only;
    };

    using skiff::detail::field_count;
    static_assert(field_count<everything>() == 21);
    static_assert(field_count<aggregates>() == 2);
    static_assert(field_count<wrappers>() == 4);
    static_assert(field_count<single_optional>() == 1);
    static_assert(field_count<single_value>() == 1);
    static_assert(field_count<single_vector>() == 1);
}

TEST(Reflection, struct_of_one_field_is_one_column) {
    struct only {
        std::optional<std::string> name;
    };
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<only>("select 'ann'").name, "ann");
    EXPECT_EQ(db.one<only>("select null").name, std::nullopt);
}

TEST(Reflection, struct_with_views_is_read_in_a_loop) {
    struct borrowed {
        std::string_view name;
        skiff::blob_view content;
    };
    auto db = connection::open(":memory:");
    int rows = 0;

    for (const auto each : db.rows<borrowed>("select 'ann', x'0102'")) {
        EXPECT_EQ(each.name, "ann");
        EXPECT_EQ(each.content.size(), 2U);
        ++rows;
    }

    EXPECT_EQ(rows, 1);
}

TEST(Reflection, struct_with_views_binds_in_a_batch) {
    struct borrowed {
        int id;
        std::string_view name;
    };
    auto db = connection::open(":memory:");
    db.exec("create table t(id, name)");

    db.insert_many("insert into t values (?, ?)", std::array{borrowed{1, "ann"}, borrowed{2, ""}});

    EXPECT_THAT(db.all<std::string>("select name from t order by id"),
                testing::ElementsAre("ann", ""));
}

TEST(Reflection, struct_with_a_default_and_member_functions_is_mapped) {
    struct user {
        std::int64_t id = -1;
        std::string name = "nobody";
        [[nodiscard]] std::string shout() const { return name + "!"; }
    };
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<user>("select 1, 'ann'").shout(), "ann!");
}

TEST(Reflection, struct_in_an_optional_is_a_row_or_none) {
    struct user {
        std::int64_t id;
        std::string name;
    };
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.maybe<user>("select 1, 'ann'")->name, "ann");
    EXPECT_FALSE(db.maybe<user>("select 1, 'ann' where 0").has_value());
    EXPECT_EQ(db.all<user>("select 1, 'ann' union all select 2, 'bob'").size(), 2U);
}

TEST(Reflection, columns_are_matched_by_place_and_not_by_name) {
    struct point {
        int x;
        int y;
    };
    auto db = connection::open(":memory:");

    const auto read = db.one<point>("select 1 as y, 2 as x");

    EXPECT_EQ(read.x, 1);
    EXPECT_EQ(read.y, 2);
}

TEST(Reflection, error_names_the_column_of_the_field) {
    struct user {
        std::int64_t id;
        std::string name;
        int age;
    };
    auto db = connection::open(":memory:");

    const auto failure =
        failure_of([&] { return db.all<user>("select 1 as id, 'ann' as name, 'x' as age"); });

    EXPECT_EQ(failure.code(), skiff::errc::conversion);
    EXPECT_EQ(failure.object(), "column 2 \"age\"");
}

TEST(Reflection, own_mapping_wins_over_the_fields) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<price>("select 1999"), price{1999});
    static_assert(!skiff::detail::plain_struct<price>);
}

}  // namespace
