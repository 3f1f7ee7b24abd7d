// Mapping of text: std::string and string_view, char8_t strings, string literals, paths.
// Lengths are exact; an embedded NUL is kept; an empty text is not NULL.
#pragma once

#include <skiff/mapping.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace skiff {

namespace detail {

/// Throws `conversion` unless `utf8` is valid UTF-8 (for types that promise it).
void check_utf8(std::string_view utf8, value_ref source);

inline std::string_view as_chars(std::u8string_view text) noexcept {
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace detail

/// Text stored byte for byte without the UTF-8 check: `db.exec(sql, skiff::raw_text{view})`.
struct raw_text {
    std::string_view content;
};

template <>
inline constexpr bool reads_as_view<std::string_view> = true;
template <>
inline constexpr bool reads_as_view<std::u8string_view> = true;

/// A view into SQLite's memory, valid until the next row.
template <>
struct mapping<std::string_view> {
    static std::string_view read(value_ref source) { return source.text("std::string_view"); }
    static void write(value_sink sink, std::string_view text) { sink.text(text); }
};

template <>
struct mapping<std::string> {
    static std::string read(value_ref source) { return std::string(source.text("std::string")); }
    static void write(value_sink sink, const std::string& text) { sink.text(text); }
};

template <>
struct mapping<std::u8string_view> {
    static std::u8string_view read(value_ref source) {
        const std::string_view text = source.text("std::u8string_view");
        detail::check_utf8(text, source);
        return {reinterpret_cast<const char8_t*>(text.data()), text.size()};
    }
    static void write(value_sink sink, std::u8string_view text) {
        sink.text(detail::as_chars(text));
    }
};

template <>
struct mapping<std::u8string> {
    static std::u8string read(value_ref source) {
        return std::u8string(mapping<std::u8string_view>::read(source));
    }
    static void write(value_sink sink, const std::u8string& text) {
        sink.text(detail::as_chars(text));
    }
};

template <>
struct mapping<raw_text> {
    static void write(value_sink sink, raw_text text) { sink.unchecked_text(text.content); }
};

/// Bind only. A null pointer is refused: bind skiff::null or an optional instead.
template <>
struct mapping<const char*> {
    static void write(value_sink sink, const char* text) {
        if (text == nullptr) sink.fail("null pointer bound as text", "bind skiff::null for NULL");
        sink.text(text);
    }
};
template <>
struct mapping<char*> : mapping<const char*> {};

/// String literals and arrays of char: every byte but a NUL at the very end (one in the middle is
/// kept). Bind a buffer that is filled only in part as a string_view.
template <std::size_t Size>
struct mapping<char[Size]> {
    static void write(value_sink sink, const char (&text)[Size]) {
        sink.text(std::string_view(text, Size > 0 && text[Size - 1] == '\0' ? Size - 1 : Size));
    }
};
template <std::size_t Size>
struct mapping<char8_t[Size]> {
    static void write(value_sink sink, const char8_t (&text)[Size]) {
        sink.text(detail::as_chars(std::u8string_view(text, Size - 1)));
    }
};

/// Paths, as UTF-8 text in the native form.
template <>
struct mapping<std::filesystem::path> {
    static std::filesystem::path read(value_ref source) {
        const std::string_view text = source.text("std::filesystem::path");
        return {std::string(text)};
    }
    static void write(value_sink sink, const std::filesystem::path& path) {
        sink.unchecked_text(path.native());  // a Linux path is bytes, not always UTF-8
    }
};

}  // namespace skiff
