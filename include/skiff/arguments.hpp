// Arguments of a statement: by position, by name, or as a list known only at run time.
//
//     db.exec("insert into user(name, age) values (?, ?)", "ann", 41);
//     db.exec("update user set age = :age where id = :id", skiff::named("id", 7),
//             skiff::named("age", 42));
#pragma once

#include <skiff/detail/fields.hpp>
#include <skiff/detail/prepared.hpp>
#include <skiff/mapping/array.hpp>
#include <skiff/mapping/chrono.hpp>
#include <skiff/mapping/compound.hpp>
#include <skiff/row.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace skiff {

/// An argument for the parameter `:name`, `@name` or `$name`; made by named().
template <class T>
struct named_argument {
    std::string_view name;
    const T& content;
};

/// Names an argument. The name may be given with or without its prefix. Refers to `content`: use
/// it only as an argument of the call.
template <class T>
[[nodiscard]] named_argument<T> named(std::string_view name, const T& content) noexcept {
    return {name, content};
}

/// Arguments known only at run time, for programs that take SQL from elsewhere.
struct argument_list {
    std::vector<value> positional;
    std::vector<std::pair<std::string, value>> by_name;
};

namespace detail {

template <class T>
inline constexpr bool is_named = false;
template <class T>
inline constexpr bool is_named<named_argument<T>> = true;

[[noreturn]] void throw_argument_count(prepared& run, std::size_t given);
/// Index of the parameter called `name`, or throws naming the parameters there are.
int parameter_index(prepared& run, std::string_view name);
/// Throws unless the indexes differ, so that no parameter keeps the value of an earlier run.
void check_all_bound(prepared& run, std::span<const int> bound);
void bind_list(prepared& run, const argument_list& arguments, lifetime borrowed);

/// Integers and reals live in the statement itself; everything else may leave a pointer behind.
template <class T>
inline constexpr bool binds_by_value = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
void bind_one(prepared& run, int index, const T& content, lifetime borrowed) {
    if constexpr (!binds_by_value<T>) run.holds_pointers = true;
    value_sink(run.statement, index, borrowed).write(content);
}

template <class... Args>
void bind_all(prepared& run, lifetime borrowed, const Args&... arguments) {
    constexpr std::size_t count = sizeof...(Args);
    if constexpr (count == 1 && (std::same_as<Args, argument_list> && ...)) {
        (bind_list(run, arguments, borrowed), ...);
    } else {
        static_assert((is_named<Args> && ...) || (!is_named<Args> && ...),
                      "skiff: give all arguments by position or all by name");
        if (static_cast<int>(count) != run.parameter_count) [[unlikely]] {
            throw_argument_count(run, count);
        }
        if constexpr (count > 0 && (is_named<Args> && ...)) {
            const int indexes[] = {parameter_index(run, arguments.name)...};
            check_all_bound(run, indexes);
            const int* index = indexes;
            (bind_one(run, *index++, arguments.content, borrowed), ...);
        } else if constexpr (count > 0) {
            int index = 0;
            (bind_one(run, ++index, arguments, borrowed), ...);
        }
    }
}

/// What fills the parameters of one run by itself: see bind_element().
template <class T>
concept parameter_row = writable<T> || is_tuple<T> || plain_struct<T>;

template <class Range>
using reference_type = std::remove_cvref_t<std::ranges::range_reference_t<Range>>;
/// The element of a range as it is bound. A range may hand out stand-ins that only convert to its
/// elements, as std::vector<bool> does; other elements are bound where they lie.
template <class Range>
using element_of = std::conditional_t<parameter_row<reference_type<Range>>,
                                      reference_type<Range>,
                                      std::ranges::range_value_t<Range>>;

/// Binds one element of a range: a tuple or struct fills as many parameters as it has members.
template <class Element>
void bind_element(prepared& run, const Element& element) {
    if constexpr (writable<Element>) {
        bind_all(run, lifetime::call, element);
    } else if constexpr (is_tuple<Element>) {
        std::apply([&](const auto&... members) { bind_all(run, lifetime::call, members...); },
                   element);
    } else {
        static_assert(plain_struct<Element>,
                      "skiff: elements must be bindable values, tuples or plain structs");
        with_fields(element,
                    [&](const auto&... members) { bind_all(run, lifetime::call, members...); });
    }
}

}  // namespace detail
}  // namespace skiff
