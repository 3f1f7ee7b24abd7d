// Registration of user functions and collations with SQLite.
#pragma once

#include "core/connection_state.hpp"

namespace skiff::detail {

void register_function(connection_state& connection, function_definition made);
void register_collation(connection_state& connection, const collation_definition& made);

}  // namespace skiff::detail
