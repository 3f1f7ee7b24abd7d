// A value that outlives what it was made from: an element of an array that must be copied whatever
// its type refers to. Made by running the type's own mapping into it; used by mapping/array.hpp.
#pragma once

#include <skiff/mapping.hpp>
#include <skiff/mapping/blob.hpp>
#include <skiff/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace skiff {

namespace detail {

/// What value_sink::pointer() was given, destroyed with the last copy.
struct kept_pointer {
    std::shared_ptr<void> object;
    const char* type_name = nullptr;
};

struct kept_value {
    /// Texts as they are, checked or not when they were kept.
    std::variant<std::monostate, std::int64_t, double, std::string, blob, zero_blob, kept_pointer>
        content;
};

/// Where a value_sink that keeps leaves what is written, and the place that it is kept for, which
/// errors name.
struct value_keeper {
    kept_value kept{};
    value_sink origin;
};

template <class T>
kept_value keep(const T& source, value_sink origin) {
    value_keeper keeper{.origin = origin};
    value_sink(keeper).write(source);
    return std::move(keeper.kept);
}

}  // namespace detail

template <>
struct mapping<detail::kept_value> {
    static void write(value_sink sink, const detail::kept_value& kept);
};

}  // namespace skiff
