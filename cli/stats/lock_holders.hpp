// Every process that has one of a database's files open, and the locks it holds, from /proc. Looks
// at files by device and inode, so names and links do not matter.
#pragma once

#include "stats/lock_line.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace skiff_cli {

struct lock_holder {
    pid_t pid = 0;
    std::string program;           ///< as the kernel calls it; control characters are escaped
    std::vector<file_part> files;  ///< each once
    std::vector<held_lock> locks;  ///< each once
    [[nodiscard]] bool holds(std::string_view lock) const noexcept;
    /// A shared lock of READ0 to READ4.
    [[nodiscard]] bool reads_log() const noexcept;
};

struct holder_scan {
    std::vector<lock_holder> found;  ///< by pid
    std::size_t hidden = 0;          ///< processes that may not be looked at
    /// The first that holds `lock`, or null. Lives as long as the scan.
    [[nodiscard]] const lock_holder* holder_of(std::string_view lock) const noexcept;
};

/// Leaves out this process itself.
[[nodiscard]] holder_scan find_holders(const std::filesystem::path& database);

enum class journal_kind { empty, rollback, wal };
[[nodiscard]] std::string_view name_of(journal_kind kind) noexcept;

/// "writes", "checkpoints, reads", "has it open": what the locks mean.
[[nodiscard]] std::string activity_of(const lock_holder& holder, journal_kind journal);

}  // namespace skiff_cli
