// UTF-8 as RFC 3629 defines it: shortest form, no surrogates, nothing above U+10FFFF.
#include "demo/valid_utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace skiff_cli {

namespace {

bool is_ascii(char c) {
    return static_cast<unsigned char>(c) < 0x80;
}

bool is_tail(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the valid sequence at the start of `text`, 0 when there is none.
std::size_t sequence_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return 0;
    if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes),
                     is_tail)) {
        return 0;
    }
    const auto second = static_cast<unsigned char>(text[1]);
    const bool too_short = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    const bool too_large = lead == 0xF4 && second >= 0x90;
    return too_short || surrogate || too_large ? 0 : bytes;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
    if (std::all_of(bytes.begin(), bytes.end(), is_ascii)) return std::string(bytes);
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const auto good = sequence_bytes(bytes);
        if (good > 0) {
            text.append(bytes.substr(0, good));
        } else {
            text.append("\xEF\xBF\xBD");
        }
        bytes.remove_prefix(std::max<std::size_t>(good, 1));
    }
    return text;
}

}  // namespace skiff_cli
