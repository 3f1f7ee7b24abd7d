// Validation of UTF-8 (RFC 3629: no surrogates, no overlong forms, up to U+10FFFF).
#pragma once

#include <cstddef>
#include <string_view>

namespace skiff::detail {

/// Offset of the first byte that is not part of valid UTF-8; size() when all is valid.
std::size_t invalid_utf8_offset(std::string_view text) noexcept;

}  // namespace skiff::detail
