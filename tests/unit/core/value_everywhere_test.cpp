// A type that works in one place works in all of them: every mapped type as parameter, column,
// tuple member, struct field, optional, argument and result of a function, aggregate, batch and
// array element. The family of KB-V1 and KB-V9: holes in overload sets. Values are compared with ==
// alone, since GoogleTest cannot print all of them.
#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace everywhere_test {

enum class shape : std::uint8_t { round = 3 };
enum class metal { iron, gold };

struct money {
    std::int64_t cents = 0;
    friend bool operator==(const money&, const money&) = default;
};

}  // namespace everywhere_test

template <>
inline constexpr auto skiff::enum_names<everywhere_test::metal> =
    std::to_array<std::pair<everywhere_test::metal, std::string_view>>(
        {{everywhere_test::metal::iron, "Fe"}, {everywhere_test::metal::gold, "Au"}});

template <>
struct skiff::mapping<everywhere_test::money> {
    static everywhere_test::money read(value_ref from) { return {from.read<std::int64_t>()}; }
    static void write(value_sink to, const everywhere_test::money& amount) {
        to.write(amount.cents);
    }
};

namespace {

using everywhere_test::metal;
using everywhere_test::money;
using everywhere_test::shape;
using skiff::connection;
using namespace std::chrono_literals;
using namespace std::string_literals;

/// One value of T that is easy to get wrong.
template <class T>
T sample() {
    using namespace std::chrono;
    if constexpr (std::is_same_v<T, bool>) return true;
    if constexpr (std::is_same_v<T, shape>) return shape::round;
    if constexpr (std::is_same_v<T, metal>) return metal::gold;
    if constexpr (std::is_same_v<T, std::string>) return "a\0b"s;
    if constexpr (std::is_same_v<T, std::u8string>) return u8"käse";
    if constexpr (std::is_same_v<T, std::filesystem::path>) return "/a b/日本";
    if constexpr (std::is_same_v<T, skiff::blob>) return {std::byte{0}, std::byte{1}, std::byte{0}};
    if constexpr (std::is_same_v<T, std::vector<unsigned char>>) return {0, 255, 0};
    if constexpr (std::is_same_v<T, std::array<std::byte, 2>>) return {std::byte{0}, std::byte{9}};
    if constexpr (std::is_same_v<T, std::array<unsigned char, 3>>) return {0, 128, 0};
    if constexpr (std::is_same_v<T, sys_time<milliseconds>>) return sys_days(2026y / 11 / 30) + 7ms;
    if constexpr (std::is_same_v<T, sys_seconds>) return sys_days(1969y / 12 / 31) + 5s;
    if constexpr (std::is_same_v<T, skiff::epoch<sys_seconds>>) return {sys_seconds(-5s)};
    if constexpr (std::is_same_v<T, year_month_day>) return 2024y / 2 / 29;
    if constexpr (std::is_same_v<T, milliseconds>) return -1500ms;
    if constexpr (std::is_same_v<T, duration<double>>) return duration<double>(0.25);
    if constexpr (std::is_same_v<T, money>) return {-1999};
    if constexpr (std::is_same_v<T, skiff::value>) return "a\0b"s;
    if constexpr (std::is_same_v<T, std::variant<std::monostate, double, std::string>>) return 2.5;
    if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(-7);
}

template <class T>
class EveryMappedType : public testing::Test {
  protected:
    connection db = connection::open(":memory:");
};

using mapped_types = testing::Types<std::int8_t,
                                    std::int16_t,
                                    std::int32_t,
                                    std::int64_t,
                                    long long,
                                    bool,
                                    float,
                                    double,
                                    shape,
                                    metal,
                                    std::string,
                                    std::u8string,
                                    std::filesystem::path,
                                    skiff::blob,
                                    std::vector<unsigned char>,
                                    std::array<std::byte, 2>,
                                    std::array<unsigned char, 3>,
                                    std::chrono::sys_time<std::chrono::milliseconds>,
                                    std::chrono::sys_seconds,
                                    skiff::epoch<std::chrono::sys_seconds>,
                                    std::chrono::year_month_day,
                                    std::chrono::milliseconds,
                                    std::chrono::duration<double>,
                                    money,
                                    skiff::value,
                                    std::variant<std::monostate, double, std::string>>;
TYPED_TEST_SUITE(EveryMappedType, mapped_types);

TYPED_TEST(EveryMappedType, kb_v1_round_trips_as_parameter_and_column) {
    const auto content = sample<TypeParam>();

    EXPECT_TRUE(this->db.template one<TypeParam>("select ?", content) == content);
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_by_name) {
    const auto content = sample<TypeParam>();

    const auto back = this->db.template one<TypeParam>("select :x", skiff::named("x", content));

    EXPECT_TRUE(back == content);
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_through_a_held_statement) {
    const auto content = sample<TypeParam>();
    auto select = this->db.prepare("select ?");

    EXPECT_TRUE(select.template one<TypeParam>(content) == content);
    EXPECT_TRUE(select.template all<TypeParam>(content) == std::vector<TypeParam>{content});
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_as_tuple_member) {
    const auto content = sample<TypeParam>();

    const auto [number, back] =
        this->db.template one<std::tuple<int, TypeParam>>("select 1, ?", content);

    EXPECT_EQ(number, 1);
    EXPECT_TRUE(back == content);
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_as_struct_field) {
    struct row {
        int number;
        TypeParam content;
        std::optional<TypeParam> none;
        std::optional<TypeParam> some;
    };
    const std::array<row, 1> rows{row{1, sample<TypeParam>(), {}, sample<TypeParam>()}};
    this->db.exec("create table t(a, b, c, d)");

    this->db.insert_many("insert into t values (?, ?, ?, ?)", rows);
    const auto back = this->db.template one<row>("select * from t");

    EXPECT_TRUE(back.content == sample<TypeParam>());
    EXPECT_TRUE(back.none == std::nullopt);
    EXPECT_TRUE(back.some == sample<TypeParam>());
}

TYPED_TEST(EveryMappedType, kb_v9_round_trips_as_optional) {
    using optional = std::optional<TypeParam>;
    const auto content = sample<TypeParam>();

    EXPECT_TRUE(this->db.template one<optional>("select ?", optional(content)) == content);
    EXPECT_TRUE(this->db.template one<optional>("select ?", optional()) == std::nullopt);
}

TYPED_TEST(EveryMappedType, kb_v9_round_trips_through_a_function) {
    const auto content = sample<TypeParam>();
    this->db.define_function("same", [](const TypeParam& given) { return given; });
    this->db.define_function("maybe_same",
                             [](const std::optional<TypeParam>& given) { return given; });

    EXPECT_TRUE(this->db.template one<TypeParam>("select same(?)", content) == content);
    EXPECT_TRUE(this->db.template one<TypeParam>("select maybe_same(?)", content) == content);
    EXPECT_TRUE(this->db.template one<bool>("select maybe_same(null) is null"));
}

TYPED_TEST(EveryMappedType, kb_v9_round_trips_through_an_aggregate) {
    struct last {
        std::optional<TypeParam> seen;
        void step(const TypeParam& given) { seen = given; }
        std::optional<TypeParam> finish() { return seen; }
    };
    const auto content = sample<TypeParam>();
    this->db.template define_aggregate<last>("last_of");

    EXPECT_TRUE(this->db.template one<TypeParam>("select last_of(?)", content) == content);
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_through_a_batch) {
    const std::vector<TypeParam> contents(3, sample<TypeParam>());
    const std::vector<std::tuple<int, TypeParam>> pairs(2, {1, sample<TypeParam>()});
    this->db.exec("create table t(a, b)");

    // Bytes in a row are one blob to insert, not a batch.
    if constexpr (!std::is_same_v<TypeParam, std::byte>) {
        this->db.insert_many("insert into t(b) values (?)", contents);
    }
    this->db.insert_many("insert into t values (?, ?)", pairs);

    EXPECT_TRUE(this->db.template all<TypeParam>("select b from t") ==
                std::vector<TypeParam>(5, sample<TypeParam>()));
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_as_array_element) {
    if constexpr (skiff::detail::array_element<TypeParam>) {
        const std::vector<TypeParam> contents(3, sample<TypeParam>());

        const auto back =
            this->db.template all<TypeParam>("select value from skiff_array(?)", contents);

        EXPECT_TRUE(back == contents);
    } else {
        SUCCEED() << "a vector of bools has no elements that a pointer could show";
    }
}

TYPED_TEST(EveryMappedType, kb_v1_round_trips_as_typed_rows) {
    const auto content = sample<TypeParam>();
    int seen = 0;

    for (const auto each : this->db.template rows<TypeParam>("select ?", content)) {
        EXPECT_TRUE(each == content);
        ++seen;
    }

    EXPECT_EQ(seen, 1);
}

}  // namespace
