// Mapping of numbers: every integer type with range checks, bool, enums, floating point.
#pragma once

#include <skiff/mapping.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace skiff {

namespace detail {

template <class T>
concept character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// Integers proper: not bool, not characters (is a `char` a number or a text? say which).
template <class T>
concept integer_type = std::integral<T> && !std::same_as<T, bool> && !character<T>;

template <class Enum>
struct number_of_enum {
    using type = std::underlying_type_t<Enum>;
};
template <class Enum>
    requires character<std::underlying_type_t<Enum>>
struct number_of_enum<Enum> {
    using underlying = std::underlying_type_t<Enum>;
    using type = typename std::conditional_t<std::is_signed_v<underlying>,
                                             std::make_signed<underlying>,
                                             std::make_unsigned<underlying>>::type;
};
/// The type whose mapping carries an enum's number. Over a character it is the integer of the same
/// size and sign: a character alone may mean a text, the constants of an enum are numbers.
template <class Enum>
using enum_number = typename number_of_enum<Enum>::type;

}  // namespace detail

/// Integers. Reading a value outside the range of T, or binding one above INT64_MAX, throws
/// `conversion`.
template <detail::integer_type T>
struct mapping<T> {
    [[gnu::always_inline]] static T read(value_ref source) {
        const std::int64_t number = source.integer(detail::type_name<T>);
        if constexpr (!std::same_as<T, std::int64_t>) {
            if (!std::in_range<T>(number)) [[unlikely]] {
                source.fail_range(detail::type_name<T>);
            }
        }
        return static_cast<T>(number);
    }
    static void write(value_sink sink, T number) {
        if constexpr (!std::is_signed_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
            if (!std::in_range<std::int64_t>(number)) [[unlikely]] {
                sink.fail("unsigned integer above 9223372036854775807",
                          "SQLite's integers are signed 64-bit: store it as text or as a blob");
            }
        }
        sink.integer(static_cast<std::int64_t>(number));
    }
};

/// bool is stored as 0 or 1; any other integer is refused on reading.
template <>
struct mapping<bool> {
    static bool read(value_ref source) {
        const std::int64_t number = source.integer("bool");
        if (number != 0 && number != 1) [[unlikely]]
            source.fail_range("bool");
        return number == 1;
    }
    static void write(value_sink sink, bool flag) { sink.integer(flag ? 1 : 0); }
};

/// Floating point. An INTEGER is read only when the type holds it exactly.
template <std::floating_point T>
    requires(sizeof(T) <= sizeof(double))
struct mapping<T> {
    static T read(value_ref source) {
        const double number = source.real(detail::type_name<T>);
        if constexpr (std::same_as<T, float>) {
            if (std::isfinite(number) && std::fabs(number) > std::numeric_limits<float>::max()) {
                source.fail_range("float");
            }
            if (source.type() == storage_class::integer &&
                static_cast<double>(static_cast<float>(number)) != number) {
                source.fail_range("float");
            }
        }
        return static_cast<T>(number);
    }
    static void write(value_sink sink, T number) { sink.real(static_cast<double>(number)); }
};

/// Names for the values of an enum. Specialise as a list of pairs and the enum is stored as text;
/// leave it and the enum is stored as its number.
///
///     template <>
///     inline constexpr auto skiff::enum_names<colour> =
///         std::to_array<std::pair<colour, std::string_view>>({{colour::red, "red"}});
template <class Enum>
inline constexpr int enum_names = 0;

/// Enums: by number, or by name where enum_names lists names; then a value or a name that is not
/// listed throws `conversion`.
template <class T>
    requires std::is_enum_v<T>
struct mapping<T> {
    static constexpr bool by_name = !std::same_as<decltype(enum_names<T>), const int>;
    static constexpr storage_class stored_as =
        by_name ? storage_class::text : storage_class::integer;

    static T read(value_ref source) {
        if constexpr (by_name) {
            const std::string_view text = source.text(detail::type_name<T>);
            for (const auto& [constant, name] : enum_names<T>) {
                if (name == text) return constant;
            }
            source.fail("no such name in the enum");
        } else {
            return static_cast<T>(mapping<detail::enum_number<T>>::read(source));
        }
    }
    static void write(value_sink sink, T constant) {
        if constexpr (by_name) {
            for (const auto& [listed, name] : enum_names<T>) {
                if (listed == constant) return sink.unchecked_text(name);
            }
            sink.fail("enum value without a name", "add it to skiff::enum_names");
        } else {
            using number = detail::enum_number<T>;
            mapping<number>::write(sink, static_cast<number>(constant));
        }
    }
};

}  // namespace skiff
