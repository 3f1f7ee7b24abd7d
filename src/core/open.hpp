// Opening: from a path and options to a connection_state that is ready to use.
#pragma once

#include "core/operation.hpp"

#include <memory>
#include <string>

namespace skiff::detail {

enum class name_kind { path, uri };

/// Opens and sets up; throws a typed error that names the file, and leaks nothing.
std::unique_ptr<connection_state> open_connection(const std::string& name,
                                                  name_kind kind,
                                                  const open_options& options,
                                                  const wait_limits& limits = {});

}  // namespace skiff::detail
