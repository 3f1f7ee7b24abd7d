// How --help looks, and what is suggested for a word that was nearly right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace skiff_cli {

/// Gives `app` and its verbs the layout of our help; call after the verbs were added.
void set_help_style(CLI::App& app);

/// The candidate that `word` was most likely meant to be; empty when none is near.
[[nodiscard]] std::string closest(std::string_view word,
                                  const std::vector<std::string>& candidates);

}  // namespace skiff_cli
