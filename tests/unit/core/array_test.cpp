// Arrays as parameters: skiff_array(?) gives the elements of a span, vector or array, whatever
// their number, without preparing again.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

enum class tint { red, blue };

/// A type of the program's own that only shows a text.
struct label {
    std::string_view text;
};

}  // namespace

template <>
inline constexpr auto skiff::enum_names<tint> =
    std::to_array<std::pair<tint, std::string_view>>({{tint::red, "red"}, {tint::blue, "blue"}});

template <>
struct skiff::mapping<label> {
    static void write(skiff::value_sink sink, const label& shown) { sink.write(shown.text); }
};

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view ids_in = "select id from t where id in skiff_array(?) order by id";

/// Rows 1 to `count` with a name each.
connection with_rows(int count) {
    auto db = connection::open(":memory:");
    db.exec("create table t(id integer primary key, name text)");
    std::vector<std::pair<int, std::string>> rows;
    for (int id = 1; id <= count; ++id) rows.emplace_back(id, "row " + std::to_string(id));
    db.insert_many("insert into t values (?, ?)", rows);
    return db;
}

std::vector<std::int64_t> numbers_to(std::int64_t last) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(last));
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

// -- KB-V8: one statement, arrays of changing size

TEST(Arrays, kb_v8_sizes_may_change_from_run_to_run) {
    auto db = with_rows(2000);
    const auto misses_before = db.cache_stats().misses;

    for (const std::int64_t count : {3, 0, 1000, 2}) {
        const auto wanted = std::make_unique<std::vector<std::int64_t>>(numbers_to(count));
        EXPECT_EQ(db.all<std::int64_t>(ids_in, *wanted), *wanted);
    }

    EXPECT_EQ(db.cache_stats().misses, misses_before + 1);
}

TEST(Arrays, kb_v8_held_statement_takes_sizes_that_change) {
    auto db = with_rows(2000);
    auto select = db.prepare(ids_in);

    for (const std::int64_t count : {3, 0, 1000, 2}) {
        const auto wanted = numbers_to(count);
        EXPECT_EQ(select.all<std::int64_t>(wanted), wanted);
    }
}

TEST(Arrays, kb_v8_array_of_an_earlier_run_is_not_read_again) {
    auto db = with_rows(5);
    auto select = db.prepare(ids_in);
    auto wanted = std::make_unique<std::vector<std::int64_t>>(numbers_to(3));
    EXPECT_THAT(select.all<std::int64_t>(*wanted), ElementsAre(1, 2, 3));
    wanted.reset();

    EXPECT_EQ(code_of([&] { return select.all<std::int64_t>(); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return select.all<std::int64_t>(nullptr); }), errc::generic);

    EXPECT_THAT(select.all<std::int64_t>(numbers_to(2)), ElementsAre(1, 2));
}

TEST(Arrays, kb_v8_failed_run_lets_go_of_its_array) {
    auto db = with_rows(5);
    db.define_function("fail", [](std::int64_t) -> int { throw std::runtime_error("no"); });
    const auto* sql = "select fail(value) from skiff_array(?)";
    auto wanted = std::make_unique<std::vector<std::int64_t>>(numbers_to(3));
    EXPECT_THROW((void)db.all<int>(sql, *wanted), std::runtime_error);
    wanted.reset();

    EXPECT_THAT(db.all<int>(sql, std::vector<std::int64_t>()), IsEmpty());
}

TEST(Arrays, kb_v8_rows_range_keeps_its_own_copy) {
    auto db = with_rows(5);
    auto wanted = std::make_unique<std::vector<std::int64_t>>(numbers_to(3));
    auto rows = db.rows<std::int64_t>(ids_in, *wanted);
    wanted.reset();

    std::vector<std::int64_t> found;
    for (const auto id : rows) found.push_back(id);

    EXPECT_THAT(found, ElementsAre(1, 2, 3));
}

TEST(Arrays, kb_v8_rows_range_keeps_the_texts_that_its_views_show) {
    auto db = connection::open(":memory:");
    auto first = std::make_unique<std::string>("a text that is too long for the small buffer");
    auto second = std::make_unique<std::string>("another text that is too long for the buffer");
    const std::vector<std::string> expected{*first, *second};
    const std::vector<std::string_view> views{*first, *second};
    auto rows = db.rows<std::string>("select value from skiff_array(?)", views);
    first.reset();
    second.reset();

    std::vector<std::string> found;
    for (const auto& each : rows) found.push_back(each);

    EXPECT_EQ(found, expected);
}

TEST(Arrays, kb_v8_rows_range_keeps_the_bytes_that_its_spans_show) {
    auto db = connection::open(":memory:");
    auto bytes = std::make_unique<skiff::blob>(100, std::byte{7});
    const std::vector<skiff::blob_view> views{*bytes};
    auto rows = db.rows<skiff::blob>("select value from skiff_array(?)", views);
    bytes.reset();

    std::vector<skiff::blob> found;
    for (const auto& each : rows) found.push_back(each);

    EXPECT_THAT(found, ElementsAre(skiff::blob(100, std::byte{7})));
}

TEST(Arrays, kb_v8_rows_range_keeps_the_texts_of_optional_views) {
    auto db = connection::open(":memory:");
    auto text = std::make_unique<std::string>("a text that is too long for the small buffer");
    const std::string expected = *text;
    const std::vector<std::optional<std::string_view>> views{*text, std::nullopt};
    auto rows = db.rows<std::optional<std::string>>("select value from skiff_array(?)", views);
    text.reset();

    std::vector<std::optional<std::string>> found;
    for (const auto& each : rows) found.push_back(each);

    EXPECT_THAT(found, ElementsAre(expected, std::nullopt));
}

TEST(Arrays, kb_v8_rows_range_keeps_the_texts_of_variants_of_views) {
    using either = std::variant<std::int64_t, std::string_view>;
    auto db = connection::open(":memory:");
    auto text = std::make_unique<std::string>("a text that is too long for the small buffer");
    const std::string expected = *text;
    const std::vector<either> elements{either(*text), either(7)};
    auto rows = db.rows<skiff::value>("select value from skiff_array(?)", elements);
    text.reset();

    std::vector<skiff::value> found;
    for (const auto& each : rows) found.push_back(each);

    EXPECT_THAT(found, ElementsAre(skiff::value(expected), skiff::value(7)));
}

TEST(Arrays, kb_v8_rows_range_keeps_the_texts_of_the_programs_own_types) {
    auto db = connection::open(":memory:");
    auto text = std::make_unique<std::string>("a text that is too long for the small buffer");
    const std::string expected = *text;
    const std::vector<std::optional<label>> labels{label{*text}, std::nullopt};
    auto rows = db.query("select value from skiff_array(?)", std::span(labels));
    text.reset();

    std::vector<std::optional<std::string>> found;
    for (const auto& each : rows) found.push_back(each.get<std::optional<std::string>>(0));

    EXPECT_THAT(found, ElementsAre(expected, std::nullopt));
}

TEST(Arrays, kb_v8_rows_range_keeps_what_else_a_mapping_may_write) {
    auto db = connection::open(":memory:");
    auto raw = std::make_unique<std::string>(100, '\xff');
    const std::string expected = *raw;
    const std::vector<skiff::raw_text> texts{{*raw}};
    const std::vector<skiff::zero_blob> zeros{{3}};
    auto text_rows = db.rows<std::string>("select value from skiff_array(?)", texts);
    auto zero_rows = db.rows<skiff::blob>("select value from skiff_array(?)", zeros);
    raw.reset();

    for (const auto& each : text_rows) EXPECT_EQ(each, expected);
    for (const auto& each : zero_rows) EXPECT_EQ(each, skiff::blob(3));
}

TEST(Arrays, kb_v8_rows_range_keeps_arrays_of_arrays) {
    auto db = connection::open(":memory:");
    auto inner = std::make_unique<std::vector<int>>(std::vector{1, 2, 3});
    const std::vector<std::span<const int>> outer{*inner, std::span(*inner).first(1)};
    auto rows = db.rows<int>(
        "select b.value from skiff_array(?) a, skiff_array(a.value) b order by a.rowid, b.rowid",
        outer);
    inner.reset();

    std::vector<int> found;
    for (const auto each : rows) found.push_back(each);

    EXPECT_THAT(found, ElementsAre(1, 2, 3, 1));
}

TEST(Arrays, element_that_cannot_be_kept_names_its_parameter) {
    auto db = connection::open(":memory:");
    const std::vector<std::string_view> texts{"fine", "\xff"};

    const auto failure =
        failure_of([&] { return db.rows<int>("select value from skiff_array(?)", texts); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.operation(), "bind");
    EXPECT_EQ(failure.object(), "parameter 1");
}

TEST(Arrays, null_pointer_among_the_elements_is_refused) {
    auto db = connection::open(":memory:");
    const std::vector<const char*> texts{"a", nullptr};
    const auto* sql = "select value from skiff_array(?)";

    EXPECT_EQ(code_of([&] { return db.all<std::string>(sql, texts); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.rows<std::string>(sql, texts); }), errc::conversion);
}

// -- element types

TEST(Arrays, elements_of_every_kind_come_back) {
    auto db = connection::open(":memory:");
    const auto* sql = "select value from skiff_array(?)";
    const std::vector<std::int32_t> ints{-1, 0, 2147483647};
    const std::vector<double> reals{0.5, -1e300};
    const std::vector<std::string> texts{"", "käse", std::string("a\0b", 3)};
    const std::vector<std::string_view> views{"one", "two"};
    const std::vector<const char*> pointers{"one", "two"};
    const std::vector<skiff::blob> blobs{{}, {std::byte{0}, std::byte{1}}};
    const std::vector<std::optional<int>> holes{1, std::nullopt, 3};
    const std::vector<skiff::value> anything{skiff::null, std::int64_t{1}, 2.5, std::string("x")};

    EXPECT_EQ(db.all<std::int32_t>(sql, ints), ints);
    EXPECT_EQ(db.all<double>(sql, reals), reals);
    EXPECT_EQ(db.all<std::string>(sql, texts), texts);
    EXPECT_THAT(db.all<std::string>(sql, views), ElementsAre("one", "two"));
    EXPECT_THAT(db.all<std::string>(sql, pointers), ElementsAre("one", "two"));
    EXPECT_EQ(db.all<skiff::blob>(sql, blobs), blobs);
    EXPECT_EQ(db.all<std::optional<int>>(sql, holes), holes);
    EXPECT_EQ(db.all<skiff::value>(sql, anything), anything);
}

TEST(Arrays, enums_compare_as_they_are_stored) {
    auto db = connection::open(":memory:");
    db.exec_script("create table paint(tint); insert into paint values ('red'), ('green')");
    const std::array wanted{tint::red, tint::blue};

    EXPECT_THAT(db.all<tint>("select tint from paint where tint in skiff_array(?)", wanted),
                ElementsAre(tint::red));
}

TEST(Arrays, spans_vectors_and_arrays_are_alike) {
    auto db = with_rows(5);
    std::vector<std::int64_t> vector{2, 4};
    const std::array<std::int64_t, 2> array{2, 4};

    EXPECT_THAT(db.all<int>(ids_in, vector), ElementsAre(2, 4));
    EXPECT_THAT(db.all<int>(ids_in, array), ElementsAre(2, 4));
    EXPECT_THAT(db.all<int>(ids_in, std::span(vector)), ElementsAre(2, 4));
    EXPECT_THAT(db.all<int>(ids_in, std::span<const std::int64_t>(vector)), ElementsAre(2, 4));
}

TEST(Arrays, span_of_a_fixed_extent_is_an_array) {
    auto db = with_rows(5);
    std::array<int, 3> wanted{1, 3, 4};

    EXPECT_THAT(db.all<int>(ids_in, std::span<const int, 3>(wanted)), ElementsAre(1, 3, 4));
    EXPECT_THAT(db.all<int>(ids_in, std::span<int, 3>(wanted)), ElementsAre(1, 3, 4));
    EXPECT_THAT(db.all<int>(ids_in, std::span<const int, 0>()), IsEmpty());
}

TEST(Arrays, array_of_nothing_gives_no_row) {
    auto db = with_rows(5);

    EXPECT_THAT(db.all<int>(ids_in, std::vector<int>()), IsEmpty());
    EXPECT_THAT(db.all<int>(ids_in, std::span<const int>()), IsEmpty());
    EXPECT_EQ(db.one<int>("select count(*) from skiff_array(?)", std::array<int, 0>{}), 0);
}

TEST(Arrays, duplicates_and_order_are_kept) {
    auto db = connection::open(":memory:");

    EXPECT_THAT(db.all<int>("select value from skiff_array(?)", std::array{3, 1, 3}),
                ElementsAre(3, 1, 3));
    EXPECT_THAT(db.all<int>("select rowid from skiff_array(?)", std::array{3, 1, 3}),
                ElementsAre(1, 2, 3));
}

// -- places in SQL

TEST(Arrays, two_arrays_in_one_statement_stay_apart) {
    auto db = with_rows(5);

    const auto found = db.all<int>(
        "select id from t where id in skiff_array(?) or name in skiff_array(?) order by id",
        std::array{1, 2}, std::vector<std::string>{"row 5"});

    EXPECT_THAT(found, ElementsAre(1, 2, 5));
}

TEST(Arrays, two_arrays_join) {
    auto db = connection::open(":memory:");

    const auto pairs = db.all<std::pair<int, std::string>>(
        "select a.value, b.value from skiff_array(?) a join skiff_array(?) b on a.rowid = b.rowid",
        std::array{1, 2}, std::vector<std::string>{"one", "two"});

    EXPECT_THAT(pairs, ElementsAre(std::pair(1, "one"), std::pair(2, "two")));
}

TEST(Arrays, one_named_array_serves_two_places) {
    auto db = with_rows(5);

    const auto found = db.all<int>(
        "select id from t where id in skiff_array(:ids) and id + 1 in skiff_array(:ids)",
        skiff::named("ids", std::array{1, 2, 4}));

    EXPECT_THAT(found, ElementsAre(1));
}

TEST(Arrays, array_feeds_an_insert) {
    auto db = with_rows(0);

    const auto result = db.exec("insert into t(id, name) select value, 'new' from skiff_array(?)",
                                numbers_to(1000));

    EXPECT_EQ(result.changes, 1000);
    EXPECT_EQ(db.one<std::int64_t>("select sum(id) from t"), 500500);
}

TEST(Arrays, index_of_the_table_is_used) {
    auto db = with_rows(1);

    std::string plan;
    for (const auto& row : db.query("explain query plan select id from t where id in "
                                    "skiff_array(?)",
                                    std::array{1})) {
        plan += row.get<std::string>("detail") + '\n';
    }

    EXPECT_THAT(plan, testing::HasSubstr("USING INTEGER PRIMARY KEY"));
}

// -- misuse

TEST(Arrays, anything_but_an_array_is_refused) {
    auto db = with_rows(5);

    EXPECT_THAT(failure_of([&] { return db.all<int>(ids_in, 1); }).what(),
                testing::HasSubstr("span, vector or array"));
    EXPECT_EQ(code_of([&] { return db.all<int>("select value from skiff_array"); }), errc::generic);
}

TEST(Arrays, array_in_place_of_a_value_is_null_for_sql) {
    auto db = connection::open(":memory:");

    EXPECT_TRUE(db.one<bool>("select ? is null", std::array{1, 2}));
}

TEST(Arrays, element_that_cannot_be_written_fails_the_statement) {
    auto db = connection::open(":memory:");
    const std::vector<std::string> texts{"fine", "\xff"};

    EXPECT_EQ(
        code_of([&] { return db.all<std::string>("select value from skiff_array(?)", texts); }),
        errc::conversion);
}

}  // namespace
