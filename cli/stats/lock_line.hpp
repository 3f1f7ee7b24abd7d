// A "lock:" line of /proc/PID/fdinfo/FD, and what SQLite calls the bytes it covers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// The files of one database.
enum class file_part { database, wal, shm };
[[nodiscard]] std::string_view name_of(file_part part) noexcept;

enum class lock_strength { shared, exclusive };

struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    [[nodiscard]] bool covers(const byte_range& other) const noexcept {
        return first <= other.first && other.last <= last;
    }
    [[nodiscard]] bool touches(const byte_range& other) const noexcept {
        return first <= other.last && other.first <= last;
    }
};

struct lock_line {
    lock_strength strength = lock_strength::shared;
    byte_range range;
};

/// Nothing for what is no record lock (of a process or of an open file).
[[nodiscard]] std::optional<lock_line> parse_lock_line(std::string_view line);

/// A lock by SQLite's name: PENDING, RESERVED, SHARED, EXCLUSIVE of the database; WRITE, CKPT,
/// RECOVER, READ0 to READ4, DMS of the wal-index, or ALONE for all eight at once.
struct held_lock {
    std::string name;
    lock_strength strength = lock_strength::shared;
    friend bool operator==(const held_lock&, const held_lock&) = default;
};
[[nodiscard]] std::vector<held_lock> locks_in(file_part part, const lock_line& line);

}  // namespace skiff_cli
