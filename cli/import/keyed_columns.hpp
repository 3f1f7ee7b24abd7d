// Columns of formats whose records bring their own names: found in the order in which they first
// come, each at an index that stays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skiff_cli {

class keyed_columns {
  public:
    /// The index of `name`, which is added when it is new.
    std::size_t index_of(std::string_view name) {
        // The key is copied for the lookup: heterogeneous lookup is not in all of our compilers.
        const auto [found, is_new] = indexes_.try_emplace(std::string(name), names_.size());
        if (is_new) names_.emplace_back(name);
        return found->second;
    }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> indexes_;
};

}  // namespace skiff_cli
