// What the figures of a run depend on, recorded with them.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace skiff_bench {

/// Processor, kernel, file system, how long a sync and a system call take, load, versions.
[[nodiscard]] nlohmann::json look_at_environment(const std::filesystem::path& folder);
/// Whether what is synced there is kept by nothing: such a sync is free, and means nothing.
[[nodiscard]] bool keeps_nothing(const std::filesystem::path& folder);

}  // namespace skiff_bench
