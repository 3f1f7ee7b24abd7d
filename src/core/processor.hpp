// Whether this processor has what SQLite's code was compiled for (SKIFF_ENGINE_ARCH). Asked before
// the first call of SQLite, as an older processor would end the program there.
#pragma once

#include <string>
#include <string_view>

namespace skiff::detail {

/// Answers whether the processor has an extension, by its name in __builtin_cpu_supports.
using has_feature = bool (*)(std::string_view name) noexcept;

/// Asks this processor. True for a name that it does not know.
bool processor_has(std::string_view name) noexcept;

/// Those of `wanted`, words with blanks between, that are not there; in the same form.
std::string missing_features(std::string_view wanted, has_feature has);

/// Throws errc::unsupported if something of `wanted` is missing.
void check_processor(std::string_view wanted, has_feature has);

/// The same for what the engine of this library was compiled for; asks once in a process.
void check_processor();

}  // namespace skiff::detail
