// Assertions for programming errors, Skiff's own and its users': checked in debug builds, with a
// message that says what to do. Operating errors never come here: they are skiff::error.
#pragma once

namespace skiff {

/// Prints "file:line: message" to standard error and aborts.
[[noreturn]] void fail_assertion(const char* file, int line, const char* message) noexcept;

}  // namespace skiff

#ifdef NDEBUG
#define SKIFF_ASSERT(condition, message) static_cast<void>(0)
#else
#define SKIFF_ASSERT(condition, message) \
    ((condition) ? static_cast<void>(0) : ::skiff::fail_assertion(__FILE__, __LINE__, message))
#endif
