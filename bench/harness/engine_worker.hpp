// What a worker process of the suite `engine` does: all its jobs with one driver. Its answer is one
// JSON object.
#pragma once

#include "drivers/engine_drivers.hpp"

#include <nlohmann/json.hpp>

namespace skiff_bench {

/// {"settings": …, "rows": [{"row", "digest", "metrics"}]}.
[[nodiscard]] nlohmann::json run_engine_jobs(const engine_driver& driver);

}  // namespace skiff_bench
