// Numbers in and out of SQLite: every integer type with its limits, bool and enums. Floating point
// has number_real_test.cpp.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

enum class level : std::int16_t { low = -3, high = 300 };
enum plain_level { plain_low, plain_high = 7 };
enum class small_level : std::uint8_t { one = 1, last = 255 };
enum class letter : char { a = 'a', lowest = std::numeric_limits<char>::min() };
enum class wide_letter : wchar_t { last = std::numeric_limits<wchar_t>::max() };
enum class utf8_unit : char8_t { last = 255 };
enum class utf16_unit : char16_t { last = 65535 };
enum class utf32_unit : char32_t { last = 4294967295 };
enum class colour { red, green, unnamed };

}  // namespace

template <>
inline constexpr auto skiff::enum_names<colour> =
    std::to_array<std::pair<colour, std::string_view>>(
        {{colour::red, "red"}, {colour::green, "green"}});

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::HasSubstr;

/// The values of T that break things first, and that SQLite can hold.
template <class T>
std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    constexpr bool too_large = !std::in_range<std::int64_t>(limits::max());
    const T largest =
        too_large ? static_cast<T>(std::numeric_limits<std::int64_t>::max()) : limits::max();
    std::vector<T> values{limits::min(), largest, T{0}, T{1}};
    if constexpr (limits::is_signed) values.push_back(T{-1});
    return values;
}

template <class T>
class EveryIntegerType : public testing::Test {};

using integer_types = testing::Types<signed char,
                                     unsigned char,
                                     short,
                                     unsigned short,
                                     int,
                                     unsigned int,
                                     long,
                                     unsigned long,
                                     long long,
                                     unsigned long long,
                                     std::size_t,
                                     std::ptrdiff_t,
                                     std::int64_t,
                                     std::uint64_t>;
TYPED_TEST_SUITE(EveryIntegerType, integer_types);

TYPED_TEST(EveryIntegerType, kb_v1_edges_round_trip_through_a_parameter) {
    auto db = connection::open(":memory:");

    for (const TypeParam each : edges<TypeParam>()) {
        const auto back = db.one<TypeParam>("select ?", each);

        EXPECT_EQ(back, each);
    }
}

TYPED_TEST(EveryIntegerType, kb_v1_edges_round_trip_through_a_table) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x integer) strict");

    db.insert_many("insert into t(x) values (?)", edges<TypeParam>());

    EXPECT_EQ(db.all<TypeParam>("select x from t order by rowid"), edges<TypeParam>());
}

template <class T>
class EveryWideUnsignedType : public testing::Test {};

using wide_unsigned_types = testing::Types<unsigned long, unsigned long long, std::size_t>;
TYPED_TEST_SUITE(EveryWideUnsignedType, wide_unsigned_types);

TYPED_TEST(EveryWideUnsignedType, kb_v1_above_int64_max_is_refused_on_bind) {
    auto db = connection::open(":memory:");
    constexpr auto one_too_many =
        static_cast<TypeParam>(std::numeric_limits<std::int64_t>::max()) + 1;

    for (const TypeParam each : {one_too_many, std::numeric_limits<TypeParam>::max()}) {
        const auto failure = failure_of([&] { return db.one<TypeParam>("select ?", each); });

        EXPECT_EQ(failure.code(), errc::conversion);
        EXPECT_EQ(failure.object(), "parameter 1");
    }
}

TEST(Numbers, kb_v1_too_large_unsigned_is_refused_in_a_batch) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x)");
    const std::vector<std::uint64_t> numbers{1, std::numeric_limits<std::uint64_t>::max()};

    EXPECT_THROW(db.insert_many("insert into t values (?)", numbers), skiff::conversion);

    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
}

TEST(Numbers, kb_v1_too_large_unsigned_is_refused_in_an_array) {
    auto db = connection::open(":memory:");
    const std::vector<std::uint64_t> numbers{1, std::numeric_limits<std::uint64_t>::max()};

    const auto failure = failure_of(
        [&] { return db.all<std::int64_t>("select value from skiff_array(?)", numbers); });

    EXPECT_THAT(failure.what(), HasSubstr("9223372036854775807"));
}

// -- KB-V5: 64 bits into fewer

template <class T>
std::string narrowing_message(connection& db, const std::string& sql) {
    const auto failure = failure_of([&] { return db.one<T>(sql); });
    EXPECT_EQ(failure.code(), errc::conversion);
    return std::string(failure.message()) + " at " + std::string(failure.object());
}

TEST(Numbers, kb_v5_number_beyond_the_type_names_value_and_column) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::int64_t>("select 4294967296"), 4294967296);
    EXPECT_THAT(narrowing_message<std::int32_t>(db, "select 4294967296 as size"),
                testing::AllOf(HasSubstr("4294967296"), HasSubstr("column 0 \"size\"")));
    EXPECT_THAT(narrowing_message<bool>(db, "select 4294967296 as flag"), HasSubstr("\"flag\""));
    EXPECT_THAT(narrowing_message<std::uint8_t>(db, "select 256 as byte"), HasSubstr("256"));
    EXPECT_THAT(narrowing_message<unsigned>(db, "select -1 as count"), HasSubstr("-1"));
    EXPECT_THAT(narrowing_message<bool>(db, "select 2 as flag"), HasSubstr("2"));
}

TEST(Numbers, kb_v5_one_beyond_either_limit_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<std::int8_t>("select 128"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::int8_t>("select -129"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::int16_t>("select 32768"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::uint16_t>("select 65536"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::int32_t>("select 2147483648"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::int32_t>("select -2147483649"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::uint32_t>("select 4294967296"), skiff::conversion);
    EXPECT_THROW((void)db.one<std::uint64_t>("select -1"), skiff::conversion);
}

TEST(Numbers, kb_v5_narrow_rowid_in_a_struct_names_its_own_column) {
    struct item {
        std::string name;
        std::int32_t id;
    };
    auto db = connection::open(":memory:");
    db.exec("create table t(id integer primary key, name)");
    db.exec("insert into t values (4294967296, 'far')");

    const auto failure = failure_of([&] { return db.one<item>("select name, id from t"); });

    EXPECT_EQ(failure.object(), "column 1 \"id\"");
}

TEST(Numbers, kb_v5_narrow_function_argument_is_refused) {
    auto db = connection::open(":memory:");
    db.define_function("narrow", [](std::int32_t number) { return number; });

    const auto failure = failure_of([&] { return db.one<int>("select narrow(4294967296)"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "argument 1 of narrow()");
}

TEST(Numbers, kb_v5_milliseconds_in_a_narrow_duration_are_refused) {
    using narrow_ms = std::chrono::duration<std::int32_t, std::milli>;
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<narrow_ms>("select 1764531234000"), skiff::conversion);
}

// -- bool

TEST(Numbers, bool_round_trips_as_zero_and_one) {
    auto db = connection::open(":memory:");

    EXPECT_TRUE(db.one<bool>("select ?", true));
    EXPECT_FALSE(db.one<bool>("select ?", false));
    EXPECT_EQ(db.one<int>("select ? + 10", true), 11);
}

TEST(Numbers, bool_of_another_number_or_class_is_refused) {
    auto db = connection::open(":memory:");

    for (const char* sql :
         {"select 2", "select -1", "select 1.0", "select 'true'", "select null", "select x'01'"}) {
        EXPECT_EQ(code_of([&] { return db.one<bool>(sql); }), errc::conversion) << sql;
    }
}

// -- enums

TEST(Numbers, enum_round_trips_by_number) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<level>("select ?", level::low), level::low);
    EXPECT_EQ(db.one<int>("select ?", level::high), 300);
    EXPECT_EQ(db.one<plain_level>("select ?", plain_high), plain_high);
    EXPECT_EQ(db.one<small_level>("select ?", small_level::last), small_level::last);
}

TEST(Numbers, enum_number_beyond_its_type_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<small_level>("select 256"), skiff::conversion);
    EXPECT_THROW((void)db.one<small_level>("select -1"), skiff::conversion);
    EXPECT_THROW((void)db.one<level>("select 32768"), skiff::conversion);
}

TEST(Numbers, enum_of_a_character_type_round_trips_by_number) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select ?", letter::a), 97);
    EXPECT_EQ(db.one<letter>("select ?", letter::a), letter::a);
    EXPECT_EQ(db.one<letter>("select ?", letter::lowest), letter::lowest);
    EXPECT_EQ(db.one<wide_letter>("select ?", wide_letter::last), wide_letter::last);
    EXPECT_EQ(db.one<utf8_unit>("select ?", utf8_unit::last), utf8_unit::last);
    EXPECT_EQ(db.one<utf16_unit>("select ?", utf16_unit::last), utf16_unit::last);
    EXPECT_EQ(db.one<std::int64_t>("select ?", utf32_unit::last), 4294967295);
    EXPECT_EQ(db.one<utf32_unit>("select ?", utf32_unit::last), utf32_unit::last);
}

TEST(Numbers, enum_of_a_character_type_takes_neither_text_nor_a_number_beyond_it) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<letter>("select 'a'"), skiff::conversion);
    EXPECT_THROW((void)db.one<letter>("select 256"), skiff::conversion);
    EXPECT_THROW((void)db.one<utf8_unit>("select -1"), skiff::conversion);
}

TEST(Numbers, enum_with_names_round_trips_by_name) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select ?", colour::green), "green");
    EXPECT_EQ(db.one<colour>("select 'red'"), colour::red);
}

TEST(Numbers, enum_name_that_is_not_listed_is_refused) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.one<colour>("select 'blue' as tint"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_THAT(std::string(failure.message()), HasSubstr("'blue'"));
    EXPECT_EQ(failure.object(), "column 0 \"tint\"");
}

TEST(Numbers, enum_name_is_compared_exactly) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<colour>("select 'Red'"), skiff::conversion);
    EXPECT_THROW((void)db.one<colour>("select 'red '"), skiff::conversion);
    EXPECT_THROW((void)db.one<colour>("select ''"), skiff::conversion);
}

TEST(Numbers, enum_constant_without_a_name_is_refused_on_bind) {
    auto db = connection::open(":memory:");

    const auto failure =
        failure_of([&] { return db.one<std::string>("select ?", colour::unnamed); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_THAT(std::string(failure.advice()), HasSubstr("enum_names"));
}

TEST(Numbers, enum_with_names_does_not_take_a_number) {
    auto db = connection::open(":memory:");

    EXPECT_THROW((void)db.one<colour>("select 0"), skiff::conversion);
}

TEST(Numbers, std_byte_round_trips_as_a_number) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::byte>("select ?", std::byte{200}), std::byte{200});
    EXPECT_THROW((void)db.one<std::byte>("select 256"), skiff::conversion);
}

}  // namespace
