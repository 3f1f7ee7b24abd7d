// The value of a Depends field, taken apart: "libc6 (>= 2.34), default-mta | mail-transport-agent".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// One package that is named, with the versions that will do ("" when any will).
struct dependency_target {
    std::string_view name;         ///< without an architecture qualifier such as ":any"
    std::string_view requirement;  ///< ">= 2.34"
};

/// Appends every package named in `field`, alternatives one after the other. Returns how many
/// entries could not be understood; those are left out. The views point into `field`.
std::size_t parse_dependencies(std::string_view field, std::vector<dependency_target>& out);

}  // namespace skiff_cli
