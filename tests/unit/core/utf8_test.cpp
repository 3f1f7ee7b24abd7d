// The UTF-8 check byte by byte, against a plain decoder of the standard's table 3-7.
#include "core/utf8.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace {

using skiff::detail::invalid_utf8_offset;
using namespace std::string_view_literals;

bool is_valid(std::string_view text) {
    return invalid_utf8_offset(text) == text.size();
}

std::string encoded(char32_t point) {
    std::string out;
    const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | (point >> 6));
        put(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put(0xE0 | (point >> 12));
        put(0x80 | ((point >> 6) & 0x3F));
        put(0x80 | (point & 0x3F));
    } else {
        put(0xF0 | (point >> 18));
        put(0x80 | ((point >> 12) & 0x3F));
        put(0x80 | ((point >> 6) & 0x3F));
        put(0x80 | (point & 0x3F));
    }
    return out;
}

/// Length of the well-formed sequence at the start of `text`, decoded the slow and plain way.
std::size_t plain_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC0 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF8 ? 4
                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    char32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0U) != 0x80) return 0;
        point = (point << 6) | (byte(at) & 0x3FU);
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return 0;
    return encoded(point) == text.substr(0, length) ? length : 0;
}

std::size_t plain_offset(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto length = plain_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return at;
}

TEST(Utf8, every_code_point_but_surrogates_is_valid) {
    for (char32_t point = 0; point <= 0x10FFFF; ++point) {
        const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        ASSERT_EQ(is_valid(encoded(point)), !surrogate) << std::hex << static_cast<unsigned>(point);
    }
}

TEST(Utf8, every_pair_of_bytes_agrees_with_the_plain_decoder) {
    for (unsigned pair = 0; pair <= 0xFFFF; ++pair) {
        const std::string text{static_cast<char>(pair >> 8), static_cast<char>(pair & 0xFF)};
        ASSERT_EQ(invalid_utf8_offset(text), plain_offset(text)) << std::hex << pair;
    }
}

TEST(Utf8, overlong_and_too_large_forms_are_invalid) {
    for (const auto text : {"\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x80\x80"sv, "\xE0\x9F\xBF"sv,
                            "\xF0\x80\x80\x80"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv,
                            "\xF5\x80\x80\x80"sv, "\xED\xA0\x80"sv, "\xFF"sv}) {
        EXPECT_EQ(invalid_utf8_offset(text), 0U);
    }
}

TEST(Utf8, sequence_that_is_cut_off_is_invalid_at_its_start) {
    for (const char32_t point : {U'ä', U'日', U'🧀'}) {
        const auto whole = encoded(point);
        for (std::size_t length = 1; length < whole.size(); ++length) {
            EXPECT_EQ(invalid_utf8_offset("ab" + whole.substr(0, length)), 2U);
        }
    }
}

TEST(Utf8, bad_byte_is_found_at_every_offset) {
    for (std::size_t size = 1; size <= 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'x');
            text[at] = '\x80';
            ASSERT_EQ(invalid_utf8_offset(text), at) << size;
        }
    }
}

TEST(Utf8, wide_character_is_valid_at_every_offset) {
    for (std::size_t before = 0; before <= 20; ++before) {
        const std::string text = std::string(before, 'x') + "🧀" + std::string(before, 'y');
        ASSERT_TRUE(is_valid(text)) << before;
    }
}

TEST(Utf8, empty_text_and_zero_bytes_are_valid) {
    EXPECT_TRUE(is_valid(""));
    EXPECT_TRUE(is_valid(std::string_view()));
    EXPECT_TRUE(is_valid("a\0b"sv));
}

TEST(Utf8, random_bytes_agree_with_the_plain_decoder) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::string_view pieces[] = {"a", "ä", "日", "🧀", "\x80", "\xE0", "\xF4", "\xED"};

    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto left = random() % 12; left > 0; --left) text += pieces[random() % 8];
        ASSERT_EQ(invalid_utf8_offset(text), plain_offset(text)) << testing::PrintToString(text);
    }
}

}  // namespace
