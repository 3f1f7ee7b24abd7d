// A process has one build of SQLite, so each build has a copy of this program: skiff-bench itself,
// with the library's, and skiff-bench-<engine> beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skiff_bench {

/// The program with that build: "ours" (the library's), "plain", "gcc", "v3" or "native".
/// Nothing when it was not built.
[[nodiscard]] std::optional<std::string> program_with(std::string_view engine);

}  // namespace skiff_bench
