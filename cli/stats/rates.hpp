// What happened to the log between two looks.
#pragma once

#include "stats/database_look.hpp"

#include <cstdint>
#include <optional>

namespace skiff_cli {

struct log_rates {
    std::uint32_t resets = 0;  ///< how often the log began anew
    /// Nothing when it did: how far it had come before is not known.
    std::optional<double> frames_per_second;
    std::optional<double> copied_per_second;
};

/// Nothing when a look had no log, or no time passed.
[[nodiscard]] std::optional<log_rates> rates_between(const database_look& before,
                                                     const database_look& seen);

}  // namespace skiff_cli
