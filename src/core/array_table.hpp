// The table-valued function skiff_array(?): the elements of an array parameter as rows.
#pragma once

#include "core/connection_state.hpp"

namespace skiff::detail {

/// Registers skiff_array on a connection; returns SQLite's code.
int register_array_table(connection_state& connection) noexcept;

}  // namespace skiff::detail
