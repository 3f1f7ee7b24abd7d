// One look at a database from outside: the file's own header, its log, who has it open. No
// connection is made, no lock is taken, no file is made.
#pragma once

#include "stats/lock_holders.hpp"
#include "stats/wal_index_view.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace skiff_cli {

/// The database's header, sqlite.org/fileformat2.html#the_database_header.
struct file_header {
    static constexpr std::size_t bytes = 100;
    std::uint32_t page_size = 0;
    std::uint32_t pages = 0;  ///< 0: not known, an old program wrote last
    std::uint32_t free_pages = 0;
    journal_kind journal = journal_kind::rollback;
};
/// Nothing when it is no SQLite database's.
[[nodiscard]] std::optional<file_header> parse_file_header(std::span<const std::byte> content);

struct database_look {
    std::chrono::steady_clock::time_point when;
    std::filesystem::path path;  ///< behind links
    std::uint64_t bytes = 0;
    std::uint32_t page_size = 0;
    std::uint64_t pages = 0;
    std::optional<std::uint64_t> free_pages;  ///< nothing when that would take long to find
    journal_kind journal = journal_kind::empty;
    std::optional<std::uint64_t> wal_bytes;  ///< nothing when there is no such file
    wal_index_look index;
    holder_scan holders;
    bool unsynced = false;      ///< there is a marker of a failed sync
    std::string why_not_skiff;  ///< empty: Skiff's own VFS serves the file for this program

    /// How much of the log is in use: it may be longer.
    [[nodiscard]] std::uint64_t log_bytes_used() const noexcept;
    /// The slot whose reader sees the oldest state; nothing when no mark is in use, or a process
    /// in alone mode hides them.
    [[nodiscard]] std::optional<std::size_t> oldest_mark_in_use() const noexcept;
};

/// Throws skiff::error when the file cannot be read or is no database.
[[nodiscard]] database_look look_at_database(const std::filesystem::path& path);

/// Why SQLite's own VFS would serve the file: empty when Skiff's does.
[[nodiscard]] std::string why_not_skiff(const std::filesystem::path& path);

}  // namespace skiff_cli
