// What a worker process does: one row of a suite with one driver, in a folder of its own, checked
// before and after. Its answer is one JSON object.
#pragma once

#include "drivers/driver.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace skiff_bench {

struct work_order {
    const throughput_row* row = nullptr;
    const driver_entry* driver = nullptr;
    std::filesystem::path folder;  ///< empty
    double seconds = 1;
};

/// Throws driver_error for wrong answers and settings that are not the row's.
[[nodiscard]] nlohmann::json run_worker(const work_order& order);

/// Does one operation again and again, for tools that count what it costs: "read",
/// "insert-normal" or "insert-full". False when there is no such operation.
[[nodiscard]] bool repeat_operation(const std::string& operation,
                                    const driver_entry& driver,
                                    const std::filesystem::path& folder,
                                    int times);

}  // namespace skiff_bench
