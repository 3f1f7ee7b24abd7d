// Wrappers: optional, variant, monostate, reference_wrapper, and a type of the program's own.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace compound_test {

enum class suit { hearts, spades };

/// Stored as text "3/4", so that both halves of the trait do some work.
struct fraction {
    int above = 0;
    int below = 1;
    friend bool operator==(const fraction&, const fraction&) = default;
};

/// Stored as an integer, and says so for variants.
struct percent {
    int number = 0;
    friend bool operator==(const percent&, const percent&) = default;
};

/// Only ever bound, never read.
struct query_tag {
    int number;
};

}  // namespace compound_test

template <>
inline constexpr auto skiff::enum_names<compound_test::suit> =
    std::to_array<std::pair<compound_test::suit, std::string_view>>(
        {{compound_test::suit::hearts, "H"}, {compound_test::suit::spades, "S"}});

template <>
struct skiff::mapping<compound_test::fraction> {
    static compound_test::fraction read(value_ref from) {
        const auto text = from.read<std::string>();
        const auto slash = text.find('/');
        if (slash == std::string::npos) from.fail("not a fraction");
        return {std::stoi(text.substr(0, slash)), std::stoi(text.substr(slash + 1))};
    }
    static void write(value_sink to, const compound_test::fraction& given) {
        if (given.below == 0) to.fail("fraction over zero", "reduce it first");
        to.copied_text(std::to_string(given.above) + "/" + std::to_string(given.below));
    }
};

template <>
struct skiff::mapping<compound_test::percent> {
    static constexpr auto stored_as = skiff::storage_class::integer;
    static compound_test::percent read(value_ref from) { return {from.read<int>()}; }
    static void write(value_sink to, const compound_test::percent& given) {
        to.write(given.number);
    }
};

template <>
struct skiff::mapping<compound_test::query_tag> {
    static void write(value_sink to, const compound_test::query_tag& tag) { to.write(tag.number); }
};

namespace {

using compound_test::fraction;
using compound_test::percent;
using compound_test::query_tag;
using compound_test::suit;
using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using namespace std::string_literals;

// -- optional

TEST(Compounds, optional_is_strict_about_what_it_holds) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::optional<int>>("select 7"), 7);
    EXPECT_EQ(code_of([&] { return db.one<std::optional<int>>("select 'a'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<std::optional<int>>("select 4294967296"); }),
              errc::conversion);
}

TEST(Compounds, optional_of_a_view_binds_and_reads) {
    auto db = connection::open(":memory:");
    const std::string text = "text";

    for (const auto [some, none] :
         db.rows<std::optional<std::string_view>, std::optional<std::string_view>>(
             "select ?, ?", std::optional<std::string_view>(text), std::nullopt)) {
        EXPECT_EQ(some, "text");
        EXPECT_EQ(none, std::nullopt);
    }
}

// -- variant

TEST(Compounds, variant_takes_the_alternative_of_the_storage_class) {
    using any = std::variant<std::monostate, bool, double, std::string, skiff::blob>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<any>("select null"), any(std::monostate{}));
    EXPECT_EQ(db.one<any>("select 1"), any(true));
    EXPECT_EQ(db.one<any>("select 1.0"), any(1.0));
    EXPECT_EQ(db.one<any>("select '1'"), any("1"s));
    EXPECT_EQ(db.one<any>("select x'01'"), any(skiff::blob{std::byte{1}}));
}

TEST(Compounds, variant_takes_the_first_alternative_that_fits) {
    using numbers = std::variant<std::int32_t, std::int64_t>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<numbers>("select 7").index(), 0U);
}

TEST(Compounds, variant_without_the_storage_class_is_refused) {
    using numbers = std::variant<std::int64_t, double>;
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.one<numbers>("select 'a' as x"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "column 0 \"x\"");
    EXPECT_EQ(code_of([&] { return db.one<numbers>("select null"); }), errc::conversion);
}

TEST(Compounds, variant_of_a_named_enum_reads_what_it_wrote) {
    using either = std::variant<std::int64_t, suit>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<either>("select ?", either(suit::spades)), either(suit::spades));
    EXPECT_EQ(db.one<either>("select ?", either(std::int64_t{4})), either(std::int64_t{4}));
}

TEST(Compounds, variant_of_a_time_reads_what_it_wrote) {
    using namespace std::chrono;
    using either = std::variant<double, sys_seconds>;
    using other = std::variant<std::string, milliseconds>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<either>("select ?", either(sys_seconds(5s))), either(sys_seconds(5s)));
    EXPECT_EQ(db.one<other>("select ?", other(5ms)), other(5ms));
}

TEST(Compounds, variant_of_an_own_type_goes_by_what_its_mapping_says) {
    using either = std::variant<std::string, percent>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<either>("select ?", either(percent{7})), either(percent{7}));
    EXPECT_EQ(db.one<either>("select 'a'"), either("a"s));
}

TEST(Compounds, optional_variant_holds_null_outside) {
    using inner = std::variant<std::int64_t, std::string>;
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::optional<inner>>("select null"), std::nullopt);
    EXPECT_EQ(db.one<std::optional<inner>>("select 'a'"), inner("a"s));
}

// -- monostate

TEST(Compounds, monostate_reads_null_only) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::monostate>("select null"), std::monostate{});
    EXPECT_EQ(code_of([&] { return db.one<std::monostate>("select 0"); }), errc::conversion);
}

// -- reference_wrapper

TEST(Compounds, reference_wrapper_binds_what_it_refers_to) {
    auto db = connection::open(":memory:");
    std::string text = "before";
    const auto reference = std::ref(text);
    const auto fixed = std::cref(text);
    text = "after";

    EXPECT_EQ(db.one<std::string>("select ?", reference), "after");
    EXPECT_EQ(db.one<std::string>("select ?", fixed), "after");
}

// -- a type of one's own

TEST(Compounds, own_type_round_trips) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select ?", fraction{3, 4}), "3/4");
    EXPECT_EQ(db.one<fraction>("select ?", fraction{-3, 4}), (fraction{-3, 4}));
    EXPECT_EQ(db.one<std::optional<fraction>>("select null"), std::nullopt);
}

TEST(Compounds, own_type_fails_with_its_own_words) {
    auto db = connection::open(":memory:");

    const auto reading = failure_of([&] { return db.one<fraction>("select 'half' as share"); });
    const auto binding = failure_of([&] { return db.exec("select ?", fraction{1, 0}); });

    EXPECT_THAT(std::string(reading.message()), testing::HasSubstr("not a fraction: 'half'"));
    EXPECT_EQ(reading.object(), "column 0 \"share\"");
    EXPECT_EQ(binding.message(), "fraction over zero");
    EXPECT_EQ(binding.advice(), "reduce it first");
    EXPECT_EQ(binding.code(), errc::conversion);
}

TEST(Compounds, own_type_that_only_writes_binds) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select ?", query_tag{9}), 9);
    EXPECT_EQ(db.one<int>("select ?", std::optional(query_tag{9})), 9);
    static_assert(skiff::writable<query_tag> && !skiff::readable<query_tag>);
    static_assert(!skiff::readable<std::optional<query_tag>>);
}

}  // namespace
