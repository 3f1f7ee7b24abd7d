// Table and line output: what people look at.
#include "output_writers.hpp"
#include "terminal.hpp"

#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace skiff_cli {

namespace {

constexpr std::size_t blob_bytes_shown = 32;

void append_spaces(std::string& line, int count) {
    if (count > 0) line.append(static_cast<std::size_t>(count), ' ');
}

std::string shortened(std::string text, int columns) {
    // Bytes first: a text of megabytes need not be measured.
    if (text.size() <= static_cast<std::size_t>(columns)) return text;
    const std::string_view start = clipped(text, columns);
    if (start.size() == text.size()) return text;
    return fmt::format("{}…", clipped(text, columns - 1));
}

}  // namespace

std::string real_text(double number) {
    if (std::isinf(number)) return number < 0 ? "-Inf" : "Inf";
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string blob_text(skiff::blob_view content, std::size_t bytes_max) {
    const bool cut = content.size() > bytes_max;
    std::string text = "x'";
    for (const std::byte byte : content.first(cut ? bytes_max : content.size())) {
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(byte));
    }
    text += cut ? fmt::format("…' ({} bytes)", content.size()) : "'";
    return text;
}

std::string printable(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (character == '\n') {
            safe += "\\n";
        } else if (character == '\t') {
            safe += "\\t";
        } else if (code < 0x20 || code == 0x7f) {
            fmt::format_to(std::back_inserter(safe), "\\x{:02x}", code);
        } else {
            safe += character;
        }
    }
    return safe;
}

void table_writer::begin(const std::vector<std::string>& columns) {
    columns_.clear();
    for (const auto& name : columns) {
        column& made = columns_.emplace_back();
        made.name = shortened(printable(name), cell_columns_max);
        made.width = display_width(made.name);
    }
    waiting_.clear();
    head_printed_ = false;
    if (std::exchange(another_result_, true)) target_->write("\n");
}

table_writer::cell table_writer::cell_of(const skiff::value_ref& value) {
    switch (value.type()) {
        case skiff::storage_class::integer:
            return {fmt::format("{}", value.integer()), kind::number};
        case skiff::storage_class::real:
            return {real_text(value.real()), kind::number};
        case skiff::storage_class::blob:
            return {blob_text(value.bytes(), blob_bytes_shown), kind::text};
        case skiff::storage_class::null:
            return {"NULL", kind::null};
        case skiff::storage_class::text:
            break;
    }
    // Each character takes a byte at least and four at most.
    const auto start = value.text().substr(0, std::size_t{cell_columns_max} * 4 + 4);
    return {shortened(printable(start), cell_columns_max), kind::text};
}

void table_writer::add(const skiff::row& row) {
    line cells;
    cells.reserve(columns_.size());
    for (int index = 0; index < row.size(); ++index) cells.push_back(cell_of(row.at(index)));
    if (head_printed_) {
        print(cells);
        return;
    }
    for (std::size_t index = 0; index < cells.size(); ++index) {
        column& seen = columns_[index];
        seen.width = std::max(seen.width, display_width(cells[index].text));
        seen.has_numbers = seen.has_numbers || cells[index].content == kind::number;
        seen.has_texts = seen.has_texts || cells[index].content == kind::text;
    }
    waiting_.push_back(std::move(cells));
    if (waiting_.size() == rows_measured) print_head();
}

void table_writer::end() {
    if (!head_printed_) print_head();
}

std::string table_writer::decorated(const std::string& text, style look) const {
    return target_->is_standard() ? styled(text, look, stream::output) : text;
}

void table_writer::print_head() {
    head_printed_ = true;
    std::string names;
    std::string rule;
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        const column& each = columns_[index];
        const bool last = index + 1 == columns_.size();
        const int gap = each.width - display_width(each.name);
        if (each.is_numeric()) append_spaces(names, gap);
        names += decorated(each.name, style::bold);
        if (!each.is_numeric() && !last) append_spaces(names, gap);
        rule.append(static_cast<std::size_t>(each.width), '-');
        if (last) break;
        names += "  ";
        rule += "  ";
    }
    target_->write(names + "\n" + rule + "\n");
    for (const line& cells : waiting_) print(cells);
    waiting_.clear();
}

void table_writer::print(const line& cells) {
    std::string text;
    for (std::size_t index = 0; index < cells.size(); ++index) {
        const auto& [content, what] = cells[index];
        const int gap = columns_[index].width - display_width(content);
        const bool last = index + 1 == cells.size();
        if (what == kind::number) append_spaces(text, gap);
        text += decorated(content, what == kind::null ? style::dim : style::plain);
        if (what != kind::number && !last) append_spaces(text, gap);
        if (!last) text += "  ";
    }
    target_->write(text + "\n");
}

void line_writer::begin(const std::vector<std::string>& columns) {
    int widest = 0;
    for (const auto& name : columns) widest = std::max(widest, display_width(name));
    labels_.clear();
    for (const auto& name : columns) {
        std::string label;
        append_spaces(label, widest - display_width(name));
        labels_.push_back(label + name + " = ");
    }
}

void line_writer::add(const skiff::row& row) {
    if (std::exchange(another_row_, true)) target_->write("\n");
    for (int column = 0; column < row.size(); ++column) {
        const auto value = row.at(column);
        target_->write(labels_[static_cast<std::size_t>(column)]);
        switch (value.type()) {
            case skiff::storage_class::integer:
                target_->write(fmt::format("{}\n", value.integer()));
                break;
            case skiff::storage_class::real:
                target_->write(real_text(value.real()) + "\n");
                break;
            case skiff::storage_class::blob:
                target_->write(blob_text(value.bytes(), std::numeric_limits<std::size_t>::max()) +
                               "\n");
                break;
            case skiff::storage_class::null:
                target_->write("NULL\n");
                break;
            case skiff::storage_class::text:
                target_->write(printable(value.text()) + "\n");
                break;
        }
    }
}

}  // namespace skiff_cli
