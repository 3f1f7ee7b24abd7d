// NULL, "no row" and the owned skiff::value: three things that must never be taken for each other.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_view_literals;

// -- KB-V3: NULL into a type that has no NULL

connection with_unmatched_join() {
    auto db = connection::open(":memory:");
    db.exec_script("create table a(id); create table b(id, price); insert into a values (1)");
    return db;
}

constexpr auto unmatched_join = "select b.price from a left join b on b.id = a.id"sv;

TEST(Values, kb_v3_left_join_miss_read_as_double_is_refused) {
    auto db = with_unmatched_join();

    const auto failure = failure_of([&] { return db.one<double>(unmatched_join); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "column 0 \"price\"");
    EXPECT_THAT(std::string(failure.advice()), testing::HasSubstr("std::optional"));
}

TEST(Values, kb_v3_left_join_miss_read_as_optional_is_empty) {
    auto db = with_unmatched_join();

    EXPECT_EQ(db.one<std::optional<double>>(unmatched_join), std::nullopt);
}

template <class T>
class EveryTypeWithoutNull : public testing::Test {};

enum class shade { dark, light };
using types_without_null = testing::Types<int,
                                          std::int64_t,
                                          bool,
                                          float,
                                          double,
                                          shade,
                                          std::string,
                                          std::u8string,
                                          std::filesystem::path,
                                          skiff::blob,
                                          std::array<std::byte, 1>,
                                          std::chrono::sys_seconds,
                                          std::chrono::year_month_day,
                                          std::chrono::seconds>;
TYPED_TEST_SUITE(EveryTypeWithoutNull, types_without_null);

TYPED_TEST(EveryTypeWithoutNull, kb_v3_null_is_refused) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.one<TypeParam>("select null as price"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "column 0 \"price\"");
}

TYPED_TEST(EveryTypeWithoutNull, kb_v3_null_is_refused_as_a_function_argument) {
    auto db = connection::open(":memory:");
    db.define_function("takes", [](const TypeParam&) { return 1; });

    EXPECT_EQ(code_of([&] { return db.one<int>("select takes(null)"); }), errc::conversion);
}

TYPED_TEST(EveryTypeWithoutNull, kb_v3_null_is_an_empty_optional) {
    auto db = connection::open(":memory:");

    EXPECT_FALSE(db.one<std::optional<TypeParam>>("select null").has_value());
}

TEST(Values, kb_v3_null_in_views_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW(for ([[maybe_unused]] auto each : db.rows<std::string_view>("select null")){},
                 skiff::conversion);
    EXPECT_THROW(for ([[maybe_unused]] auto each : db.rows<skiff::blob_view>("select null")){},
                 skiff::conversion);
}

TEST(Values, kb_v3_other_storage_classes_are_never_converted) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<int>("select 'abc'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<int>("select '12'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<int>("select 1.5"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<std::string>("select 12"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<std::string>("select x'61'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<skiff::blob>("select 'a'"); }), errc::conversion);
}

// -- KB-V4: no row, a NULL, two rows

constexpr auto no_row = "select 1 where 0"sv;
constexpr auto one_null = "select null"sv;
constexpr auto two_rows = "select 1 union all select 2"sv;

TEST(Values, kb_v4_one_tells_three_outcomes_apart) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<int>(no_row), skiff::no_row);
    EXPECT_THROW((void)db.one<int>(one_null), skiff::conversion);
    EXPECT_EQ(db.one<std::optional<int>>(one_null), std::nullopt);
    EXPECT_EQ(code_of([&] { return db.one<int>(two_rows); }), errc::many_rows);
}

TEST(Values, kb_v4_maybe_tells_three_outcomes_apart) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.maybe<int>(no_row), std::nullopt);
    EXPECT_THROW((void)db.maybe<int>(one_null), skiff::conversion);
    EXPECT_EQ(code_of([&] { return db.maybe<int>(two_rows); }), errc::many_rows);
}

TEST(Values, kb_v4_maybe_of_optional_keeps_no_row_and_null_apart) {
    auto db = connection::open(":memory:");

    const auto nothing = db.maybe<std::optional<int>>(no_row);
    const auto null = db.maybe<std::optional<int>>(one_null);

    EXPECT_FALSE(nothing.has_value());
    ASSERT_TRUE(null.has_value());
    EXPECT_FALSE(null->has_value());
}

TEST(Values, kb_v4_all_tells_three_outcomes_apart) {
    auto db = connection::open(":memory:");

    EXPECT_THAT(db.all<int>(no_row), IsEmpty());
    EXPECT_THAT(db.all<std::optional<int>>(one_null), ElementsAre(std::nullopt));
    EXPECT_THAT(db.all<int>(two_rows), ElementsAre(1, 2));
}

TEST(Values, kb_v4_changes_of_a_select_are_zero) {
    auto db = connection::open(":memory:");
    db.exec_script("create table t(x); insert into t values (1), (2)");

    const auto result = db.exec("select * from t");

    EXPECT_EQ(result.changes, 0);
    EXPECT_EQ(result.last_insert_rowid, 0);
}

TEST(Values, kb_v4_ignored_insert_has_no_rowid) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x unique)");
    const auto stored = db.exec("insert into t values (5)");

    const auto ignored = db.exec("insert or ignore into t values (5)");

    EXPECT_EQ(stored.last_insert_rowid, 1);
    EXPECT_EQ(ignored.changes, 0);
    EXPECT_EQ(ignored.last_insert_rowid, 0);
}

TEST(Values, kb_v4_update_has_no_rowid) {
    auto db = connection::open(":memory:");
    db.exec_script("create table t(x); insert into t values (1), (2)");

    const auto result = db.exec("update t set x = x + 1");

    EXPECT_EQ(result.changes, 2);
    EXPECT_EQ(result.last_insert_rowid, 0);
}

TEST(Values, kb_v4_upsert_that_updates_has_no_rowid) {
    auto db = connection::open(":memory:");
    db.exec("create table t(k unique, n)");
    db.exec("insert into t values ('a', 1)");

    const auto result =
        db.exec("insert into t values ('a', 1) on conflict(k) do update set n = n + 1");

    EXPECT_EQ(result.changes, 1);
    EXPECT_EQ(result.last_insert_rowid, 0);
}

TEST(Values, last_insert_rowid_in_sql_sees_the_insert_before) {
    auto db = connection::open(":memory:");
    db.exec_script("create table parent(id integer primary key); create table child(parent)");
    db.exec("insert into parent values (41)");

    db.exec("insert into child values (last_insert_rowid())");

    EXPECT_EQ(db.one<int>("select parent from child"), 41);
}

TEST(Values, last_insert_rowid_in_sql_survives_other_statements) {
    auto db = connection::open(":memory:");
    db.exec("create table t(id integer primary key, x)");
    db.exec("insert into t values (41, 0)");

    db.exec("update t set x = 1");

    EXPECT_EQ(db.one<int>("select last_insert_rowid()"), 41);
}

// -- skiff::value

TEST(Values, value_keeps_the_storage_class) {
    auto db = connection::open(":memory:");
    const std::vector<skiff::value> values{skiff::null, std::int64_t{7}, 1.5, std::string("text"),
                                           skiff::blob{std::byte{1}}};

    for (const auto& each : values) {
        EXPECT_EQ(db.one<skiff::value>("select ?", each), each);
        EXPECT_EQ(db.one<std::string>("select upper(typeof(?))", each),
                  skiff::name_of(skiff::storage_class_of(each)));
    }
}

TEST(Values, value_ref_tells_the_storage_class) {
    auto db = connection::open(":memory:");
    std::vector<skiff::storage_class> found;

    for (const auto& row : db.query("select 1, 1.5, 'a', x'01', null")) {
        for (int index = 0; index < row.size(); ++index) found.push_back(row[index].type());
    }

    using enum skiff::storage_class;
    EXPECT_THAT(found, ElementsAre(integer, real, text, blob, null));
}

TEST(Values, null_binds_as_null_however_it_is_written) {
    auto db = connection::open(":memory:");

    EXPECT_TRUE(db.one<bool>("select ? is null", skiff::null));
    EXPECT_TRUE(db.one<bool>("select ? is null", nullptr));
    EXPECT_TRUE(db.one<bool>("select ? is null", std::nullopt));
    EXPECT_TRUE(db.one<bool>("select ? is null", std::monostate{}));
    EXPECT_TRUE(db.one<bool>("select ? is null", std::optional<int>()));
}

}  // namespace
