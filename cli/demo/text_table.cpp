// Widths are counted as a terminal shows them.
#include "demo/text_table.hpp"

#include "terminal.hpp"

#include <algorithm>
#include <cstddef>

namespace skiff_cli {

namespace {

constexpr std::size_t gap = 2;

std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(display_width(text));
}

std::string padded(const std::string& text,
                   const std::string& shown,
                   std::size_t width,
                   alignment align) {
    const std::string fill(width - width_of(text), ' ');
    return align == alignment::right ? fill + shown : shown + fill;
}

void end_line(std::string& text) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
}

}  // namespace

std::string text_table(const std::vector<table_column>& columns,
                       const std::vector<std::vector<std::string>>& rows,
                       std::size_t indent) {
    std::vector<std::size_t> widths;
    widths.reserve(columns.size());
    for (const auto& column : columns) widths.push_back(width_of(column.title));
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& [title, align] = columns[i];
        const auto shown = styled(title, style::bold, stream::output);
        text += padded(title, shown, widths[i], align) + std::string(gap, ' ');
    }
    end_line(text);
    for (const auto& row : rows) {
        text.append(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += padded(row[i], row[i], widths[i], columns[i].align) + std::string(gap, ' ');
        }
        end_line(text);
    }
    return text;
}

}  // namespace skiff_cli
