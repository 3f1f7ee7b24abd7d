// A look at a database as text for people and as one JSON object.
#pragma once

#include "stats/database_look.hpp"

#include <string>

namespace skiff_cli {

/// `before` is the look before, or null: then there are no rates.
[[nodiscard]] std::string stats_text(const database_look& seen, const database_look* before);
/// One line.
[[nodiscard]] std::string stats_json(const database_look& seen, const database_look* before);

}  // namespace skiff_cli
