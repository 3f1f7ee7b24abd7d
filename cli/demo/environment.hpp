// What the figures of the demo depend on: the file system, the cores, how long a sync takes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace skiff_cli {

struct machine {
    std::string file_system;          ///< "ext4", or the number of one that is not known by name
    bool keeps_nothing = false;       ///< in memory: a sync is free and means nothing
    bool is_layered = false;          ///< an overlay: what a sync means is up to what lies below
    unsigned cores = 0;               ///< that this process may use
    std::chrono::nanoseconds sync{};  ///< median of writing 4 KiB and waiting for the disk
};

/// Looks at the machine from `folder`, where it writes a small file for a moment. Throws
/// std::system_error when that cannot be done.
[[nodiscard]] machine look_at_machine(const std::filesystem::path& folder);

/// What durable figures mean on this file system; empty when they mean what they say.
[[nodiscard]] std::string durability_caveat(const machine& where);

}  // namespace skiff_cli
