// What is visibly wrong or in the way, one sentence each, with what to do where that is known.
#pragma once

#include "stats/database_look.hpp"

#include <string>
#include <vector>

namespace skiff_cli {

/// A log that is longer is worth a word when a reader holds it back.
inline constexpr std::uint64_t long_log_bytes = 64ULL << 20;

[[nodiscard]] std::vector<std::string> hints_for(const database_look& seen);

}  // namespace skiff_cli
