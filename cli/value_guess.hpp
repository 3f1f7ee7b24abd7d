// What a text from outside means: an integer, a real number, or text. One rule for import and for
// --param, so that what one stores the other finds.
#pragma once

#include <skiff/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skiff_cli {

/// The integer that `text` is written as, if it is one in plain form: an optional minus, no leading
/// zeros, no plus, within 64 bits. "007" and "+49" are not: as numbers they would lose something.
[[nodiscard]] std::optional<std::int64_t> integer_in(std::string_view text) noexcept;
/// The finite number that `text` is written as, if it has a point or an exponent and, before them,
/// the form of an integer.
[[nodiscard]] std::optional<double> real_in(std::string_view text) noexcept;

/// integer_in, else real_in, else "null" in any case as NULL, else text.
[[nodiscard]] skiff::value guessed_value(std::string_view text);

[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;
/// `name` as an SQL identifier in double quotes.
[[nodiscard]] std::string quoted_identifier(std::string_view name);

}  // namespace skiff_cli
