// Distributions are written out, since those of the standard library differ between libraries.
#include "words.hpp"

#include <array>
#include <cctype>
#include <string_view>

namespace train {

namespace {

constexpr std::array<std::string_view, 24> beginnings{"b", "br", "c",  "d", "dr", "f", "g",  "gr",
                                                      "h", "k",  "l",  "m", "n",  "p", "pl", "r",
                                                      "s", "sh", "st", "t", "tr", "v", "w",  ""};
constexpr std::array<std::string_view, 10> middles{"a",  "e",  "i",  "o",  "u",
                                                   "ai", "ea", "ou", "oo", "ie"};
constexpr std::array<std::string_view, 12> endings{"n",  "r",  "s",  "t",  "l",  "nd",
                                                   "ck", "er", "st", "ng", "ll", ""};

}  // namespace

std::int64_t words::between(std::int64_t low, std::int64_t high) {
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(engine_() % width);
}

std::int64_t words::skewed(std::int64_t below) {
    const double part = real(0, 1);
    return static_cast<std::int64_t>(part * part * part * static_cast<double>(below));
}

double words::real(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * 0x1p-53);
}

std::string words::word(std::int64_t n) {
    // Neighbours in the order of frequency must not be neighbours in the alphabet.
    auto rest = (static_cast<std::uint64_t>(n) * 0x9E3779B97F4A7C15ULL) >> 20U;
    const auto syllables = 1 + static_cast<int>(n > 40) + static_cast<int>(n > 2'000);
    std::string made;
    for (int syllable = 0; syllable < syllables; ++syllable) {
        made += beginnings[rest % beginnings.size()];
        rest /= beginnings.size();
        made += middles[rest % middles.size()];
        rest /= middles.size();
        made += endings[rest % endings.size()];
        rest /= endings.size();
    }
    return made;
}

std::string words::sentence(std::int64_t count) {
    std::string made;
    for (std::int64_t at = 0; at < count; ++at) {
        if (at > 0) made += one_in(9) ? ", " : " ";
        made += some_word();
    }
    if (!made.empty()) made[0] = static_cast<char>(std::toupper(made[0]));
    return made;
}

std::string words::name() {
    auto first = some_word(900);
    auto last = word(3'000 + skewed(9'000));
    first[0] = static_cast<char>(std::toupper(first[0]));
    last[0] = static_cast<char>(std::toupper(last[0]));
    return first + " " + last;
}

}  // namespace train
