// Skiff as a driver of the benchmark.
#pragma once

#include "drivers/driver.hpp"

namespace skiff_bench {

std::unique_ptr<driver> open_skiff_connection(const profile& how);
std::unique_ptr<driver> open_skiff_database(const profile& how);

}  // namespace skiff_bench
