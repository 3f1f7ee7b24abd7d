// The names and numbers are those of sqlite.org/lockingv3.html and sqlite.org/walformat.html.
#include "stats/lock_line.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <system_error>

namespace skiff_cli {

namespace {

struct named_range {
    std::string_view name;
    byte_range range;
};

constexpr std::uint64_t pending_byte = 0x40000000;
constexpr byte_range shared_range{pending_byte + 2, pending_byte + 511};
constexpr std::array<named_range, 2> database_bytes{{
    {"PENDING", {pending_byte, pending_byte}},
    {"RESERVED", {pending_byte + 1, pending_byte + 1}},
}};
constexpr byte_range log_locks{120, 127};
constexpr named_range attached{"DMS", {128, 128}};
constexpr std::array<named_range, 8> index_bytes{{
    {"WRITE", {120, 120}},
    {"CKPT", {121, 121}},
    {"RECOVER", {122, 122}},
    {"READ0", {123, 123}},
    {"READ1", {124, 124}},
    {"READ2", {125, 125}},
    {"READ3", {126, 126}},
    {"READ4", {127, 127}},
}};

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\n";
    std::vector<std::string_view> words;
    for (;;) {
        const auto begin = line.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const auto word = line.substr(0, line.find_first_of(blanks));
        words.push_back(word);
        line.remove_prefix(word.size());
    }
}

std::optional<std::uint64_t> number_in(std::string_view word) {
    std::uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (wrong != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

void add_touched(const byte_range& range,
                 lock_strength strength,
                 std::span<const named_range> names,
                 std::vector<held_lock>& found) {
    for (const auto& each : names) {
        if (range.touches(each.range)) found.push_back({std::string(each.name), strength});
    }
}

}  // namespace

std::string_view name_of(file_part part) noexcept {
    switch (part) {
        case file_part::database:
            return "database";
        case file_part::wal:
            return "wal";
        case file_part::shm:
            return "shm";
    }
    return "";
}

std::optional<lock_line> parse_lock_line(std::string_view line) {
    // lock:  1: POSIX  ADVISORY  READ  4711 08:01:42 120 120
    const auto words = words_of(line);
    if (words.size() != 9 || words[0] != "lock:") return std::nullopt;
    if (words[2] != "POSIX" && words[2] != "OFDLCK") return std::nullopt;
    if (words[4] != "READ" && words[4] != "WRITE") return std::nullopt;
    const auto first = number_in(words[7]);
    const auto last =
        words[8] == "EOF" ? std::numeric_limits<std::uint64_t>::max() : number_in(words[8]);
    if (!first || !last || *last < *first) return std::nullopt;
    return lock_line{words[4] == "WRITE" ? lock_strength::exclusive : lock_strength::shared,
                     {*first, *last}};
}

std::vector<held_lock> locks_in(file_part part, const lock_line& line) {
    std::vector<held_lock> found;
    const bool exclusive = line.strength == lock_strength::exclusive;
    if (part == file_part::database) {
        add_touched(line.range, line.strength, database_bytes, found);
        if (line.range.touches(shared_range)) {
            found.push_back({exclusive ? "EXCLUSIVE" : "SHARED", line.strength});
        }
    } else if (part == file_part::shm) {
        if (exclusive && line.range.covers(log_locks)) {
            found.push_back({"ALONE", line.strength});
        } else {
            add_touched(line.range, line.strength, index_bytes, found);
        }
        add_touched(line.range, line.strength, std::span(&attached, 1), found);
    }
    return found;
}

}  // namespace skiff_cli
