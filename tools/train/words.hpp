// Where the training's data comes from: a fixed sequence of numbers, and words with the lengths and
// repetitions of a language. Nothing of it is computed in SQL.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace train {

/// The same values in every run. One thread at a time.
class words {
  public:
    explicit words(std::uint64_t seed) : engine_(seed) {}

    /// Evenly from low to high, both included.
    std::int64_t between(std::int64_t low, std::int64_t high);

    /// Small numbers often, large ones rarely, as words in a text and goods in a shop are.
    std::int64_t skewed(std::int64_t below);

    double real(double low, double high);

    bool one_in(std::int64_t times) { return between(1, times) == 1; }

    /// The nth word of a language of its own; always the same for n.
    static std::string word(std::int64_t n);

    std::string some_word(std::int64_t of = 20'000) { return word(skewed(of)); }

    /// A sentence of so many words.
    std::string sentence(std::int64_t count);

    /// First and last name.
    std::string name();

  private:
    std::mt19937_64 engine_;
};

}  // namespace train
