// The log's format, which is SQLite's (sqlite.org/fileformat2.html#walformat): a header of 32
// bytes, then frames of 24 bytes and a page. All numbers are big-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skiff::vfs {

constexpr int wal_header_bytes = 32;
constexpr int frame_header_bytes = 24;

/// Two numbers that change when a log begins anew, as they stand in the file.
using wal_salt = std::array<std::byte, 8>;

/// A frame of a log; frame 0 is before the first. Only frames of the same salt are in an order.
struct log_position {
    wal_salt salt{};
    std::uint32_t frame = 0;
    bool operator==(const log_position&) const = default;
};

[[nodiscard]] inline std::uint32_t big_endian_at(const void* bytes, std::size_t at) noexcept {
    std::array<std::uint8_t, 4> each{};
    std::memcpy(each.data(), static_cast<const char*>(bytes) + at, each.size());
    return std::uint32_t{each[0]} << 24U | std::uint32_t{each[1]} << 16U |
           std::uint32_t{each[2]} << 8U | each[3];
}

/// Pages of the database after the transaction that the frame ends; 0 when it ends none.
[[nodiscard]] inline std::uint32_t pages_after(const void* frame_header) noexcept {
    return big_endian_at(frame_header, 4);
}

[[nodiscard]] inline wal_salt salt_of_frame(const void* frame_header) noexcept {
    wal_salt salt;
    std::memcpy(salt.data(), static_cast<const char*>(frame_header) + 8, salt.size());
    return salt;
}

/// The number of the frame whose page ends at `end` of the file.
[[nodiscard]] constexpr std::uint32_t frame_ending_at(std::int64_t end, int page_bytes) noexcept {
    return static_cast<std::uint32_t>((end - wal_header_bytes) / (frame_header_bytes + page_bytes));
}

}  // namespace skiff::vfs
