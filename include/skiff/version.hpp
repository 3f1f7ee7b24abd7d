// The version of Skiff these headers belong to, and the one of the library that was linked.
#pragma once

#define SKIFF_VERSION_MAJOR 0
#define SKIFF_VERSION_MINOR 1
#define SKIFF_VERSION_PATCH 0

namespace skiff {

/// Version of the linked Skiff library, "major.minor.patch". Static storage; thread-safe.
[[nodiscard]] const char* library_version() noexcept;

/// Version of the SQLite library in use, for example "3.54.1". Static storage; thread-safe.
[[nodiscard]] const char* sqlite_version() noexcept;

}  // namespace skiff
