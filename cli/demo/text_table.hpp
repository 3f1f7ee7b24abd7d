// A small table as text: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace skiff_cli {

enum class alignment { left, right };

struct table_column {
    std::string title;
    alignment align = alignment::left;
};

/// The table with each line indented by `indent` blanks; the titles are bold on a terminal. Rows
/// may have fewer cells than there are columns.
[[nodiscard]] std::string text_table(const std::vector<table_column>& columns,
                                     const std::vector<std::vector<std::string>>& rows,
                                     std::size_t indent);

}  // namespace skiff_cli
