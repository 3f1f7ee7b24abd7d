// Mapping of wrappers: optional (NULL or a value), variant (the alternative whose storage class
// fits), monostate and nullopt (NULL), reference_wrapper.
#pragma once

#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/numbers.hpp>
#include <skiff/mapping/text.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace skiff {

template <>
struct mapping<std::monostate> {
    static std::monostate read(value_ref source) {
        if (!source.is_null()) source.fail("a value where only NULL is expected");
        return {};
    }
    static void write(value_sink sink, std::monostate) { sink.null(); }
};

template <>
struct mapping<std::nullopt_t> {
    static void write(value_sink sink, std::nullopt_t) { sink.null(); }
};
template <>
struct mapping<std::nullptr_t> {
    static void write(value_sink sink, std::nullptr_t) { sink.null(); }
};

namespace detail {
template <class T>
struct optional_reader {
    static std::optional<T> read(value_ref source) {
        if (source.is_null()) return std::nullopt;
        return mapping<T>::read(source);
    }
};
template <class T>
struct no_reader {};
template <class T>
struct optional_writer {
    static void write(value_sink sink, const std::optional<T>& content) {
        if (content) {
            mapping<T>::write(sink, *content);
        } else {
            sink.null();
        }
    }
};
template <class T>
struct no_writer {};
}  // namespace detail

template <class T>
inline constexpr bool reads_as_view<std::optional<T>> = reads_as_view<T>;

/// NULL is an empty optional; anything else is read strictly as T.
template <class T>
struct mapping<std::optional<T>>
    : std::conditional_t<readable<T>, detail::optional_reader<T>, detail::no_reader<T>>,
      std::conditional_t<writable<T>, detail::optional_writer<T>, detail::no_writer<T>> {};

template <class T>
struct mapping<std::reference_wrapper<T>> {
    static void write(value_sink sink, std::reference_wrapper<T> content) {
        mapping<std::remove_const_t<T>>::write(sink, content.get());
    }
};

namespace detail {

/// The storage class a variant alternative stands for: what its mapping says, else by what its C++
/// type is. A type of your own that is not stored as a blob says it with
/// `static constexpr auto stored_as = skiff::storage_class::text;` in its mapping.
template <class T>
constexpr storage_class natural_class() {
    if constexpr (requires { mapping<T>::stored_as; }) {
        return mapping<T>::stored_as;
    } else if constexpr (std::is_same_v<T, std::monostate>) {
        return storage_class::null;
    } else if constexpr (std::is_integral_v<T>) {
        return storage_class::integer;
    } else if constexpr (std::is_floating_point_v<T>) {
        return storage_class::real;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view> ||
                         std::is_same_v<T, std::u8string> ||
                         std::is_same_v<T, std::filesystem::path>) {
        return storage_class::text;
    } else {
        return storage_class::blob;
    }
}

template <class Variant, std::size_t Index = 0>
Variant read_alternative(value_ref source, storage_class found) {
    if constexpr (Index == std::variant_size_v<Variant>) {
        source.fail("no alternative of the variant holds this storage class");
    } else {
        using alternative = std::variant_alternative_t<Index, Variant>;
        if (natural_class<alternative>() == found) {
            return Variant(std::in_place_index<Index>, mapping<alternative>::read(source));
        }
        return read_alternative<Variant, Index + 1>(source, found);
    }
}

}  // namespace detail

template <class... Ts>
inline constexpr bool reads_as_view<std::variant<Ts...>> = (reads_as_view<Ts> || ...);

/// The first alternative whose storage class is the one found. A NULL needs std::monostate.
template <class... Ts>
struct mapping<std::variant<Ts...>> {
    static std::variant<Ts...> read(value_ref source) {
        return detail::read_alternative<std::variant<Ts...>>(source, source.type());
    }
    static void write(value_sink sink, const std::variant<Ts...>& content) {
        std::visit([&](const auto& held) { sink.write(held); }, content);
    }
};

}  // namespace skiff
