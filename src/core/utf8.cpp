// ASCII is skipped eight bytes at a time, since most text is ASCII; the rest goes by the table of
// well-formed sequences in the Unicode standard (chapter 3, table 3-7).
#include "core/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace skiff::detail {

namespace {

bool is_between(unsigned char byte, unsigned char low, unsigned char high) noexcept {
    return byte >= low && byte <= high;
}

/// Length of the well-formed sequence that starts at `at`, 0 when there is none.
std::size_t sequence_length(const unsigned char* at, std::size_t left) noexcept {
    const unsigned char lead = at[0];
    if (lead < 0x80) return 1;
    if (is_between(lead, 0xC2, 0xDF)) return left >= 2 && is_between(at[1], 0x80, 0xBF) ? 2 : 0;
    if (is_between(lead, 0xE0, 0xEF)) {
        const unsigned char low = lead == 0xE0 ? 0xA0 : 0x80;   // no overlong forms
        const unsigned char high = lead == 0xED ? 0x9F : 0xBF;  // no surrogates
        return left >= 3 && is_between(at[1], low, high) && is_between(at[2], 0x80, 0xBF) ? 3 : 0;
    }
    if (is_between(lead, 0xF0, 0xF4)) {
        const unsigned char low = lead == 0xF0 ? 0x90 : 0x80;   // no overlong forms
        const unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;  // not above U+10FFFF
        return left >= 4 && is_between(at[1], low, high) && is_between(at[2], 0x80, 0xBF) &&
                       is_between(at[3], 0x80, 0xBF)
                   ? 4
                   : 0;
    }
    return 0;
}

}  // namespace

std::size_t invalid_utf8_offset(std::string_view text) noexcept {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t word;
        while (text.size() - at >= sizeof word) {
            std::memcpy(&word, bytes + at, sizeof word);
            if ((word & 0x8080808080808080) != 0) break;
            at += sizeof word;
        }
        if (at == text.size()) break;
        const auto length = sequence_length(bytes + at, text.size() - at);
        if (length == 0) return at;
        at += length;
    }
    return at;
}

}  // namespace skiff::detail
