// The package index stored in a new database, by several threads at once through skiff::database.
#pragma once

#include "demo/package_index.hpp"
#include "signals.hpp"

#include <skiff/database.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace skiff_cli {

/// What the demo writes into its files' header (`pragma application_id`), to know them again.
inline constexpr std::uint32_t demo_application_id = 0x736B6966;  // "skif"

struct import_result {
    package_counts counts;
    std::uint64_t dependencies = 0;
    std::uint64_t commits = 0;  ///< transactions, each on the disk before its writer went on
    std::uint64_t batches = 0;  ///< closures that shared those transactions
    std::chrono::nanoseconds took{};
    std::chrono::nanoseconds indexing{};
};

/// Makes the tables, reads all of `input` and stores it from `writers` threads, full durability;
/// then makes the indexes. Shows progress on stderr. Throws interrupted_by_user on Ctrl-C.
import_result import_packages(skiff::database& db,
                              const package_input& input,
                              unsigned writers,
                              const interrupt_scope& interrupts);

}  // namespace skiff_cli
