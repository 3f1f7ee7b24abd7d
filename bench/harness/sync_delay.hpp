// A slower disk: a wait added to each fsync and fdatasync of this process, whoever calls it.
#pragma once

#include <chrono>
#include <string_view>

namespace skiff_bench {

/// From now on. Zero for none.
void set_sync_delay(std::chrono::microseconds delay) noexcept;
/// "100us", "3ms"; throws std::invalid_argument.
[[nodiscard]] std::chrono::microseconds parse_delay(std::string_view text);

}  // namespace skiff_bench
