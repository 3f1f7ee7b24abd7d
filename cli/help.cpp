// CLI11's help, with its technical remarks left out.
#include "help.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>

namespace skiff_cli {

namespace {

constexpr std::size_t help_column = 28;

class plain_formatter : public CLI::Formatter {
  public:
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string text;
        if (option->get_type_size() != 0 && !option->get_type_name().empty()) {
            text += " " + option->get_type_name();
        }
        const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
        if (option->get_positional() && many) text += "...";
        if (!option->get_default_str().empty()) text += " (" + option->get_default_str() + ")";
        return text;
    }
    std::string make_description(const CLI::App* app) const override {
        return app->get_description() + "\n\n";
    }
};

/// Optimal string alignment distance: changed, missing, additional and swapped letters.
std::size_t distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(right.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::vector<std::size_t> now(right.size() + 1);
        now[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                now[j] = std::min(now[j], before_last[j - 2] + 1);
            }
        }
        before_last = std::move(last);
        last = std::move(now);
    }
    return last.back();
}

}  // namespace

void set_help_style(CLI::App& app) {
    const auto style = std::make_shared<plain_formatter>();
    style->column_width(help_column);
    style->label("Positionals", "Arguments");
    style->label("SUBCOMMAND", "VERB");
    app.formatter(style);
    for (auto* verb : app.get_subcommands([](CLI::App*) { return true; })) {
        verb->formatter(style);
        verb->group("Verbs");
    }
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t changes_max = 2;
    std::string best;
    std::size_t fewest = std::min(changes_max, word.size() / 2) + 1;
    for (const auto& each : candidates) {
        const std::size_t changes = distance(word, each);
        if (changes < fewest) {
            fewest = changes;
            best = each;
        }
    }
    return best;
}

}  // namespace skiff_cli
