// The suite `throughput`: rows read and inserted a second by all threads together, on a table of
// 100,000 rows of 100 bytes. Each row of the suite is one line here; a worker process runs it with
// one driver and answers with figures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_bench {

enum class synchronous { normal, full };
/// SQLite's default page cache, or one that holds the whole file.
enum class cache { by_default, whole_file };
/// A second process on the same file, with SQLite's own VFS: it only has the file open, or does
/// what the row's threads do.
enum class neighbour { none, idle, busy };

struct throughput_row {
    std::string name;
    int readers = 0;
    int writers = 0;
    synchronous level = synchronous::normal;
    cache pages = cache::by_default;
    neighbour beside = neighbour::none;
    bool is_main = true;  ///< run when no row is named
};

/// All rows, in the order in which they are run and shown.
[[nodiscard]] const std::vector<throughput_row>& throughput_rows();
/// Null when there is none.
[[nodiscard]] const throughput_row* find_row(std::string_view name);

constexpr std::int64_t table_rows = 100'000;
constexpr std::size_t value_bytes = 100;

/// The first eight bytes of the value under a key: lower-case letters.
[[nodiscard]] constexpr std::uint64_t head_of(std::int64_t key) noexcept {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio
    std::uint64_t bits = static_cast<std::uint64_t>(key) * multiplier >> 32U;
    bits = (bits | bits << 16U) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8U) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4U) & 0x0F0F0F0F0F0F0F0F;
    return bits + 0x6161616161616161;
}
/// The value under a key.
[[nodiscard]] std::string value_of(std::int64_t key);
/// Whether that is the value under the key, as far as its length and first bytes tell.
[[nodiscard]] bool is_value_of(std::int64_t key, std::string_view value) noexcept;

}  // namespace skiff_bench
