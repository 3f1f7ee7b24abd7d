// The control-format reader and the dependency parser, on text from memory cut at every place: no
// file would bring it in such pieces.
#include "import/debian_control.hpp"

#include "demo/dependency_list.hpp"
#include "demo/valid_utf8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff_cli {
namespace {

/// Hands out a text in pieces whose sizes the test chooses.
class memory_source : public byte_source {
  public:
    memory_source(std::string text, std::size_t first_bytes, std::size_t then_bytes)
        : text_(std::move(text)), next_bytes_(first_bytes), then_bytes_(then_bytes) {}

    std::string_view read() override {
        // A chunk that was handed out is gone: the reader must not look at it again.
        std::fill(chunk_.begin(), chunk_.end(), '\xFF');
        chunk_ = text_.substr(at_, next_bytes_);
        at_ += chunk_.size();
        next_bytes_ = then_bytes_;
        return chunk_;
    }
    [[nodiscard]] std::uint64_t bytes_read() const override { return at_; }
    [[nodiscard]] std::uint64_t bytes_total() const override { return text_.size(); }

  private:
    std::string text_;
    std::string chunk_;
    std::size_t at_ = 0;
    std::size_t next_bytes_;
    std::size_t then_bytes_;
};

using field = std::pair<std::string, std::string>;
using stanza = std::vector<field>;

struct parsed {
    std::vector<stanza> stanzas;
    std::uint64_t lines = 0;
    std::uint64_t bad_lines = 0;

    friend bool operator==(const parsed&, const parsed&) = default;
};

parsed parse(const std::string& text,
             std::size_t first_bytes = std::string::npos,
             std::size_t then_bytes = std::string::npos) {
    memory_source source(text, first_bytes, then_bytes);
    debian_control_reader reader(source);
    parsed result;
    std::vector<control_field> fields;
    while (reader.next(fields)) {
        auto& made = result.stanzas.emplace_back();
        for (const auto& [name, value] : fields) made.emplace_back(name, value);
    }
    result.lines = reader.line();
    result.bad_lines = reader.bad_lines();
    return result;
}

constexpr const char* two_packages =
    "Package: alpha\n"
    "Description: first\n"
    " line two\n"
    " .\n"
    "  verbatim\n"
    "Size: 12\n"
    "\n"
    "Package: beta\n"
    "Size:\t7\n";

TEST(DebianControl, continuation_lines_are_joined) {
    const auto result = parse(two_packages);

    const std::vector<stanza> expected = {
        {{"Package", "alpha"}, {"Description", "first\nline two\n\n verbatim"}, {"Size", "12"}},
        {{"Package", "beta"}, {"Size", "7"}}};
    EXPECT_EQ(result.stanzas, expected);
    EXPECT_EQ(result.lines, 9U);
    EXPECT_EQ(result.bad_lines, 0U);
}

TEST(DebianControl, chunk_border_at_every_byte_changes_nothing) {
    const std::string text = std::string(two_packages) + "stray\n\n\nPackage: last\r\n more";
    const auto expected = parse(text);
    ASSERT_EQ(expected.stanzas.size(), 3U);

    for (std::size_t border = 1; border < text.size(); ++border) {
        EXPECT_EQ(parse(text, border), expected) << "border at " << border;
    }
    for (std::size_t bytes = 1; bytes < 12; ++bytes) {
        EXPECT_EQ(parse(text, bytes, bytes), expected) << "chunks of " << bytes;
    }
}

TEST(DebianControl, carriage_returns_are_not_content) {
    const auto result = parse("Package: alpha\r\nSize: 1\r\n\r\nPackage: beta\r\n");

    const std::vector<stanza> expected = {{{"Package", "alpha"}, {"Size", "1"}},
                                          {{"Package", "beta"}}};
    EXPECT_EQ(result.stanzas, expected);
}

TEST(DebianControl, end_without_newline_ends_the_last_field) {
    const auto result = parse("Package: alpha\nDescription: a\n b");

    ASSERT_EQ(result.stanzas.size(), 1U);
    EXPECT_EQ(result.stanzas[0][1], field("Description", "a\nb"));
    EXPECT_EQ(result.lines, 3U);
}

TEST(DebianControl, lines_of_blanks_separate_stanzas) {
    const auto result = parse("\n\n \t\nA: 1\n  \t\n\nB: 2\n\n\n");

    const std::vector<stanza> expected = {{{"A", "1"}}, {{"B", "2"}}};
    EXPECT_EQ(result.stanzas, expected);
}

TEST(DebianControl, stray_lines_and_their_continuations_are_counted) {
    const auto result = parse(
        " belongs to nothing\n"
        "no colon here\n"
        " nor here\n"
        ": no name\n"
        "two words: x\n"
        "Package: alpha\n"
        "-dash: x\n"
        "Size: 1\n");

    const std::vector<stanza> expected = {{{"Package", "alpha"}, {"Size", "1"}}};
    EXPECT_EQ(result.stanzas, expected);
    EXPECT_EQ(result.bad_lines, 6U);
}

TEST(DebianControl, comment_within_a_value_is_skipped) {
    const auto result = parse("# head\nA: 1\n# between\n 2\n");

    const std::vector<stanza> expected = {{{"A", "1\n2"}}};
    EXPECT_EQ(result.stanzas, expected);
    EXPECT_EQ(result.bad_lines, 0U);
}

TEST(DebianControl, text_without_fields_is_no_stanza) {
    EXPECT_TRUE(parse("").stanzas.empty());
    EXPECT_TRUE(parse("\n\n\n").stanzas.empty());
    EXPECT_TRUE(parse("stray\n\nstray\n").stanzas.empty());
    EXPECT_EQ(parse("stray\n\nstray\n").bad_lines, 2U);
}

TEST(DebianControl, empty_value_is_a_field) {
    const auto result = parse("A:\nB:   \nC:x:y\n");

    const std::vector<stanza> expected = {{{"A", ""}, {"B", ""}, {"C", "x:y"}}};
    EXPECT_EQ(result.stanzas, expected);
}

TEST(DebianControl, very_long_line_is_kept) {
    const std::string value(5'000'000, 'x');
    const auto result = parse("A: " + value + "\nB: 1\n", 1000, 65536);

    ASSERT_EQ(result.stanzas.size(), 1U);
    EXPECT_EQ(result.stanzas[0][0].second.size(), value.size());
    EXPECT_EQ(result.stanzas[0][1], field("B", "1"));
}

TEST(DebianControl, line_beyond_the_limit_is_skipped) {
    const std::string huge(debian_control_reader::stanza_bytes_max + 100, 'x');
    const auto result = parse("A: 1\nB: " + huge + "\n more\nC: 3\n\nD: 4\n", 1 << 20, 1 << 20);

    const std::vector<stanza> expected = {{{"A", "1"}, {"C", "3"}}, {{"D", "4"}}};
    EXPECT_EQ(result.stanzas, expected);
    EXPECT_EQ(result.bad_lines, 2U);
}

TEST(DebianControl, random_bytes_parse_alike_in_any_chunks) {
    constexpr std::uint32_t seed = 7;
    std::mt19937 random(seed);
    constexpr std::string_view bytes("Aa:-#. \t\r\n\n\0\x80\xFF", 14);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (int i = 0; i < 60; ++i) text += bytes[random() % bytes.size()];
        EXPECT_EQ(parse(text), parse(text, 1, 1)) << "seed " << seed << ", round " << round;
    }
}

std::vector<field> dependencies(std::string_view text, std::size_t bad = 0) {
    std::vector<dependency_target> targets;
    EXPECT_EQ(parse_dependencies(text, targets), bad) << text;
    std::vector<field> result;
    for (const auto& target : targets) result.emplace_back(target.name, target.requirement);
    return result;
}

TEST(DependencyList, versions_and_alternatives_are_read) {
    const std::vector<field> expected = {{"libc6", ">= 2.34"},
                                         {"default-mta", ""},
                                         {"mail-transport-agent", ""},
                                         {"python3", ""},
                                         {"g++", "= 4:12.2.0-3"}};
    EXPECT_EQ(dependencies("libc6 (>= 2.34), default-mta | mail-transport-agent,\n"
                           " python3:any, g++ ( = 4:12.2.0-3 )"),
              expected);
}

TEST(DependencyList, architectures_and_profiles_are_ignored) {
    const std::vector<field> expected = {{"a", ""}, {"b", "<< 2"}, {"c", ""}};
    EXPECT_EQ(dependencies("a [amd64 arm64] <!nocheck>, b(<< 2) [!hurd-any], c<stage1>"), expected);
}

TEST(DependencyList, empty_entries_are_nothing) {
    EXPECT_TRUE(dependencies("").empty());
    EXPECT_TRUE(dependencies(" , ,\n,").empty());
    EXPECT_EQ(dependencies("a,").size(), 1U);
}

TEST(DependencyList, nonsense_is_counted_and_left_out) {
    EXPECT_EQ(dependencies("A, a (>= 1, b () | c, d) e", 4), (std::vector<field>{{"c", ""}}));
    EXPECT_EQ(dependencies("a | | b", 1).size(), 2U);
    EXPECT_EQ(dependencies("${shlibs:Depends}, x", 1).size(), 1U);
}

TEST(ValidUtf8, valid_text_is_kept) {
    for (const char* text :
         {"", "plain", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x9B\xB6"}) {
        EXPECT_EQ(valid_utf8(text), text);
    }
}

TEST(ValidUtf8, each_bad_byte_is_replaced) {
    const std::string bad = "\xEF\xBF\xBD";
    EXPECT_EQ(valid_utf8("a\xFFz"), "a" + bad + "z");
    EXPECT_EQ(valid_utf8("\xC3"), bad);
    EXPECT_EQ(valid_utf8("\xC0\xAF"), bad + bad);
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), bad + bad + bad);
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), bad + bad + bad + bad);
    EXPECT_EQ(valid_utf8("\xE2\x82z"), bad + bad + "z");
}

}  // namespace
}  // namespace skiff_cli
