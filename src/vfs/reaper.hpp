// One timer thread for the process that ends what must not last: alone mode of wal-indexes. It
// sleeps without a timer while there is nothing to end.
#pragma once

#include "vfs/slot_table.hpp"

namespace skiff::vfs::reaper {

/// Calls `table.tick()` about every millisecond until it returns false. False when there is no
/// memory or no thread for it. Thread-safe.
bool watch(slot_table& table) noexcept;
/// Returns when the table is not being ticked and will not be again.
void forget(slot_table& table) noexcept;

}  // namespace skiff::vfs::reaper
