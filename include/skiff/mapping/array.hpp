// Arrays as parameters: `select … where id in skiff_array(?)` with a span, vector or array bound.
// The statement need not be prepared again for another length, and nothing is spliced into SQL.
#pragma once

#include <skiff/mapping.hpp>
#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/numbers.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
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

template <class T>
void write_array(value_sink sink, std::span<const T> elements) {
    array_parameter array;
    array.count = elements.size();
    array.write = [](const void* start, std::size_t index, value_sink element) {
        mapping<T>::write(element, static_cast<const T*>(start)[index]);
    };
    if (sink.borrowed() == lifetime::copied) {
        auto copy = std::make_shared<std::vector<T>>(elements.begin(), elements.end());
        array.elements = copy->data();
        array.owner = std::move(copy);
    } else {
        array.elements = elements.data();
    }
    bind_array(sink, std::move(array));
}

/// Elements of an array parameter: anything that can be bound, but bytes (those make a blob).
template <class T>
concept array_element = !byte_type<T> && !character<T> && !std::same_as<T, bool> && writable<T>;

}  // namespace detail

template <class T>
    requires detail::array_element<std::remove_const_t<T>>
struct mapping<std::span<T>> {
    static void write(value_sink sink, std::span<T> elements) {
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
