// Mapping of bytes: spans, vectors and arrays of std::byte or unsigned char. Empty is not NULL.
#pragma once

#include <skiff/mapping.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skiff {

namespace detail {
template <class T>
concept byte_type = std::same_as<T, std::byte> || std::same_as<T, unsigned char>;
}

/// A blob of `count` zero bytes: `db.exec("insert into t(b) values (?)", skiff::zero_blob{4096})`.
struct zero_blob {
    std::uint64_t count = 0;
};

template <detail::byte_type Byte, std::size_t Extent>
inline constexpr bool reads_as_view<std::span<const Byte, Extent>> = true;

/// A view into SQLite's memory, valid until the next row. With a fixed extent, a blob of another
/// length throws `conversion`.
template <detail::byte_type Byte, std::size_t Extent>
struct mapping<std::span<const Byte, Extent>> {
    static std::span<const Byte, Extent> read(value_ref source) {
        const blob_view content = source.bytes("std::span<const std::byte>");
        if constexpr (Extent != std::dynamic_extent) {
            if (content.size() != Extent) source.fail("blob has another length than the span");
        }
        return std::span<const Byte, Extent>(reinterpret_cast<const Byte*>(content.data()),
                                             content.size());
    }
    static void write(value_sink sink, std::span<const Byte, Extent> content) {
        sink.bytes(std::as_bytes(content));
    }
};

/// Bind only: reading gives a span of const.
template <detail::byte_type Byte, std::size_t Extent>
struct mapping<std::span<Byte, Extent>> {
    static void write(value_sink sink, std::span<Byte, Extent> content) {
        sink.bytes(std::as_bytes(content));
    }
};

template <detail::byte_type Byte>
struct mapping<std::vector<Byte>> {
    static std::vector<Byte> read(value_ref source) {
        const auto content = mapping<std::span<const Byte>>::read(source);
        return {content.begin(), content.end()};
    }
    static void write(value_sink sink, const std::vector<Byte>& content) {
        sink.bytes(std::as_bytes(std::span(content)));
    }
};

/// A fixed size: a blob of another length throws `conversion`.
template <detail::byte_type Byte, std::size_t Size>
struct mapping<std::array<Byte, Size>> {
    static std::array<Byte, Size> read(value_ref source) {
        const auto content = mapping<std::span<const Byte>>::read(source);
        if (content.size() != Size) source.fail("blob has another length than the array");
        std::array<Byte, Size> copy;
        std::ranges::copy(content, copy.begin());
        return copy;
    }
    static void write(value_sink sink, const std::array<Byte, Size>& content) {
        sink.bytes(std::as_bytes(std::span(content)));
    }
};

template <>
struct mapping<zero_blob> {
    static void write(value_sink sink, zero_blob zeros) { sink.zero_blob(zeros.count); }
};

}  // namespace skiff
