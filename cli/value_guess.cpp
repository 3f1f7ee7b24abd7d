// Numbers by std::from_chars, which knows no locale, after their form was checked.
#include "value_guess.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

namespace skiff_cli {

namespace {

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/// Takes digits off the front of `text`; how many.
std::size_t take_digits(std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
}

/// Takes an integer in plain form off the front: "-12", "0", not "012".
bool take_whole_part(std::string_view& text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool zero = text.starts_with('0');
    const std::size_t digits = take_digits(text);
    return digits == 1 || (digits > 1 && !zero);
}

/// Bytes of the UTF-8 character at the start of `text`, 0 when it is none (RFC 3629).
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const auto continues = [&](std::size_t at, unsigned low = 0x80, unsigned high = 0xbf) {
        return at < text.size() && byte(at) >= low && byte(at) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool second = continues(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return second && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool second = continues(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return second && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::optional<std::int64_t> integer_in(std::string_view text) noexcept {
    std::string_view rest = text;
    if (!take_whole_part(rest) || !rest.empty() || text == "-0") return std::nullopt;
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc()) return std::nullopt;
    return number;
}

std::optional<double> real_in(std::string_view text) noexcept {
    std::string_view rest = text;
    if (!take_whole_part(rest) || rest.empty()) return std::nullopt;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        if (take_digits(rest) == 0) return std::nullopt;
    }
    if (rest.starts_with('e') || rest.starts_with('E')) {
        rest.remove_prefix(1);
        if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
        if (take_digits(rest) == 0) return std::nullopt;
    }
    if (!rest.empty()) return std::nullopt;
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || !std::isfinite(number)) return std::nullopt;
    return number;
}

skiff::value guessed_value(std::string_view text) {
    if (const auto number = integer_in(text)) return *number;
    if (const auto number = real_in(text)) return *number;
    if (equal_ignoring_case(text, "null")) return skiff::null;
    return std::string(text);
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
    const auto lower = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
    };
    return std::ranges::equal(left, right, {}, lower, lower);
}

bool is_valid_utf8(std::string_view text) noexcept {
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    while (!text.empty()) {
        std::uint64_t eight = 0;
        while (text.size() >= sizeof eight) {
            std::memcpy(&eight, text.data(), sizeof eight);
            if ((eight & high_bits) != 0) break;
            text.remove_prefix(sizeof eight);
        }
        if (text.empty()) return true;
        const std::size_t bytes = character_bytes(text);
        if (bytes == 0) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

std::string quoted_identifier(std::string_view name) {
    std::string quoted = "\"";
    for (const char character : name) {
        if (character == '"') quoted += '"';
        quoted += character;
    }
    return quoted + '"';
}

}  // namespace skiff_cli
