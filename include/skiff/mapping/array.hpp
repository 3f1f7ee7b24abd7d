// Arrays as parameters: `select … where id in skiff_array(?)` with a span, vector or array bound.
// The statement need not be prepared again for another length, and nothing is spliced into SQL.
#pragma once

#include <skiff/mapping.hpp>
#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/numbers.hpp>
#include <skiff/mapping/text.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

/// An element for an array that outlives the call: what is only a view is copied as well.
template <class T>
const T& owned_copy(const T& element, value_sink) {
    return element;
}
inline std::string owned_copy(std::string_view text, value_sink) {
    return std::string(text);
}
inline std::u8string owned_copy(std::u8string_view text, value_sink) {
    return std::u8string(text);
}
inline std::string owned_copy(const char* text, value_sink sink) {
    if (text == nullptr) mapping<const char*>::write(sink, text);  // throws
    return text;
}
inline std::string owned_copy(char* text, value_sink sink) {
    return owned_copy(static_cast<const char*>(text), sink);
}
template <class Byte, std::size_t Extent>
    requires byte_type<std::remove_const_t<Byte>>
std::vector<std::remove_const_t<Byte>> owned_copy(std::span<Byte, Extent> bytes, value_sink) {
    return {bytes.begin(), bytes.end()};
}
template <class T>
const T& owned_copy(std::reference_wrapper<T> element, value_sink) {
    return element.get();
}
template <class T>
auto owned_copy(const std::optional<T>& element, value_sink sink) {
    using owned = std::remove_cvref_t<decltype(owned_copy(*element, sink))>;
    return element ? std::optional<owned>(owned_copy(*element, sink)) : std::nullopt;
}

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
void write_array(value_sink sink, std::span<const T> elements) {
    if (sink.borrowed() == lifetime::call) return bind_array(sink, array_of(elements));
    using owned = std::remove_cvref_t<decltype(owned_copy(elements[0], sink))>;
    auto copy = std::make_shared<std::vector<owned>>();
    copy->reserve(elements.size());
    for (const auto& each : elements) copy->push_back(owned_copy(each, sink));
    auto array = array_of(std::span<const owned>(*copy));
    array.owner = std::move(copy);
    bind_array(sink, std::move(array));
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
