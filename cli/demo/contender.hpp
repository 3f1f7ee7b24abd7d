// What the demo measures: the same work done by two contenders, SQLite's C API as people write it
// by hand (plain_c.hpp) and skiff::database (skiff_side.hpp). Nothing of either shows here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff_cli {

/// What was read, as numbers that differ when anything differs. The mixing is cheap, so that it
/// does not hide what is measured.
struct digest {
    std::uint64_t rows = 0;
    std::uint64_t hash = 0;

    void add(std::int64_t first, std::int64_t second, std::string_view text) {
        ++rows;
        const auto last = text.empty() ? 0U : static_cast<unsigned char>(text.back());
        hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(first) +
               static_cast<std::uint64_t>(second) * 31 + text.size() * 257 + last;
    }
    friend bool operator==(const digest&, const digest&) = default;
};

/// Sums over the rows written, the same in whatever order they came.
struct written_rows {
    std::int64_t count = 0;
    std::int64_t sum_of_numbers = 0;
    std::int64_t bytes_of_text = 0;

    friend bool operator==(const written_rows&, const written_rows&) = default;
};

/// A line of a log, as one writer inserts it.
struct log_line {
    std::int64_t writer = 0;
    std::int64_t number = 0;
    std::string_view text;
};

/// Settings as the contender's own connections report them, in a fixed order.
using reported_settings = std::vector<std::pair<std::string, std::string>>;

/// The pragmas that must agree before anything is timed, on the file that is read and on the one
/// that is written.
inline constexpr const char* compared_on_read[] = {"journal_mode", "page_size", "cache_size",
                                                   "mmap_size"};
inline constexpr const char* compared_on_write[] = {"journal_mode", "synchronous", "page_size",
                                                    "cache_size",   "mmap_size",   "foreign_keys"};

/// Bytes of the file that both read through a mapping: SQLite's own VFS has it too, but does not do
/// it unless asked.
inline constexpr long long mapped_bytes = 1LL << 30;

/// The SQL both run.
inline constexpr std::string_view point_read_sql =
    "select installed_kib, size_bytes, name from package where id = ?";
inline constexpr std::string_view scan_sql = "select id, size_bytes, name from package";
inline constexpr std::string_view log_table_sql =
    "create table log(id integer primary key, writer integer, number integer, line text) strict";
inline constexpr std::string_view log_insert_sql =
    "insert into log(writer, number, line) values (?, ?, ?)";
inline constexpr std::string_view log_sums_sql =
    "select count(*), coalesce(sum(number), 0), coalesce(sum(length(line)), 0) from log";
inline constexpr std::string_view log_clear_sql = "delete from log";

using moment = std::chrono::steady_clock::time_point;

/// One way to use SQLite. Reads are made by one thread; insert() by many at once, each with a
/// `writer` number of its own below the count given when it was made.
class contender {
  public:
    virtual ~contender() = default;

    [[nodiscard]] virtual reported_settings settings() = 0;
    /// Reads one package a key, each read a transaction of its own.
    virtual digest read_by_key(std::span<const std::int64_t> ids) = 0;
    /// Reads two integers and a text of every package.
    virtual digest scan() = 0;
    /// Inserts one row and returns when it is on the disk. False when `until` passed while waiting
    /// for other writers, and nothing was inserted.
    virtual bool insert(unsigned writer, const log_line& line, moment until) = 0;
    [[nodiscard]] virtual written_rows written() = 0;
    virtual void clear_written() = 0;
};

/// Where a contender works: the imported packages, read only, and a file of its own to write.
struct contender_files {
    std::filesystem::path packages;
    std::filesystem::path log;
};

}  // namespace skiff_cli
