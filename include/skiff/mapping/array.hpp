// Arrays as parameters: `select … where id in skiff_array(?)` with a span, vector or array bound.
// The statement need not be prepared again for another length, and nothing is spliced into SQL.
#pragma once

#include <skiff/detail/kept_value.hpp>
#include <skiff/mapping.hpp>
#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/numbers.hpp>
#include <skiff/mapping/text.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace skiff {

namespace detail {

/// What the table-valued function skiff_array reads: a borrowed or owned run of elements, and how
/// one of them is written as a value. The function finds it through SQLite's pointer interface.
struct array_parameter {
    const void* elements = nullptr;
    std::size_t count = 0;
    void (*write)(const void* elements, std::size_t index, value_sink sink) = nullptr;
    std::shared_ptr<const void> owner;  ///< keeps a copy alive when the caller's data may go
};

/// The pointer type under which skiff_array accepts an array_parameter.
inline constexpr const char* array_pointer_type = "skiff_array";

void bind_array(value_sink sink, array_parameter array);

/// A copy of T refers to nothing of somebody else's, so an array of T is kept by copying it. The
/// elements of other types (views, and types of the program's own, which may hold some) are kept as
/// the values that their mapping writes.
template <class T>
inline constexpr bool copies_whole = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <>
inline constexpr bool copies_whole<std::monostate> = true;
template <>
inline constexpr bool copies_whole<std::string> = true;
template <byte_type Byte>
inline constexpr bool copies_whole<std::vector<Byte>> = true;
template <class T>
inline constexpr bool copies_whole<std::optional<T>> = copies_whole<T>;
template <class... Ts>
inline constexpr bool copies_whole<std::variant<Ts...>> = (copies_whole<Ts> && ...);

template <class T>
array_parameter array_of(std::span<const T> elements) {
    array_parameter array;
    array.elements = elements.data();
    array.count = elements.size();
    array.write = [](const void* start, std::size_t index, value_sink element) {
        mapping<T>::write(element, static_cast<const T*>(start)[index]);
    };
    return array;
}

template <class T>
void bind_owned_array(value_sink sink, std::vector<T> elements) {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
    auto array = array_of(std::span<const T>(*owner));
    array.owner = owner;
    bind_array(sink, std::move(array));
}

template <class T>
void write_array(value_sink sink, std::span<const T> elements) {
    if (sink.borrowed() == lifetime::call) return bind_array(sink, array_of(elements));
    if constexpr (copies_whole<T>) {
        bind_owned_array(sink, std::vector<T>(elements.begin(), elements.end()));
    } else {
        std::vector<kept_value> kept;
        kept.reserve(elements.size());
        for (const auto& each : elements) kept.push_back(keep(each, sink));
        bind_owned_array(sink, std::move(kept));
    }
}

/// Elements of an array parameter: anything that can be bound, but bytes (those make a blob).
template <class T>
concept array_element = !byte_type<T> && !character<T> && !std::same_as<T, bool> && writable<T>;

}  // namespace detail

template <class T, std::size_t Extent>
    requires detail::array_element<std::remove_const_t<T>>
struct mapping<std::span<T, Extent>> {
    static void write(value_sink sink, std::span<T, Extent> elements) {
        detail::write_array(sink, std::span<const std::remove_const_t<T>>(elements));
    }
};

template <detail::array_element T>
struct mapping<std::vector<T>> {
    static void write(value_sink sink, const std::vector<T>& elements) {
        detail::write_array(sink, std::span<const T>(elements));
    }
};

template <detail::array_element T, std::size_t Size>
struct mapping<std::array<T, Size>> {
    static void write(value_sink sink, const std::array<T, Size>& elements) {
        detail::write_array(sink, std::span<const T>(elements));
    }
};

}  // namespace skiff
