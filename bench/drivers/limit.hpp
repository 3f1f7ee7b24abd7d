// The least that anybody must do: rows read inside one transaction that stays open, so without a
// lock for each; and for inserts a line of callers in front of a raw append and fdatasync.
#pragma once

#include "drivers/driver.hpp"

namespace skiff_bench {

std::unique_ptr<driver> open_limit(const profile& how);

}  // namespace skiff_bench
