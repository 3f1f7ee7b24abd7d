// Columns of formats whose records bring their own names: found in the order in which they first
// come, each at an index that stays.
#pragma once

#include "import/record.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skiff_cli {

/// One thread at a time.
class keyed_columns {
  public:
    /// Different names at most: SQLite's tables have 2,000 columns at most by default.
    static constexpr std::size_t names_max = 4000;

    /// The cell of `name` in a record; a new name gets the next index. Null at names_max.
    cell* find(record& target, std::string_view name) {
        name_.assign(name);
        auto found = indexes_.find(name_);
        if (found == indexes_.end()) {
            if (names_.size() == names_max) return nullptr;
            found = indexes_.emplace(name_, names_.size()).first;
            names_.push_back(name_);
        }
        const std::size_t index = found->second;
        if (target.cells.size() <= index) target.cells.resize(index + 1);
        return &target.cells[index];
    }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  private:
    std::string name_;  ///< being looked up: its memory is used again
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> indexes_;
};

}  // namespace skiff_cli
