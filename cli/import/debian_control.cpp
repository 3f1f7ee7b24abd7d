// The control format, line by line.
#include "import/debian_control.hpp"

#include <algorithm>

namespace skiff_cli {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view without_trailing_blanks(std::string_view text) {
    const auto last = text.find_last_not_of(blanks);
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view without_leading_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    return text.substr(first == std::string_view::npos ? text.size() : first);
}

/// Printable ASCII but the colon, as Policy 5.1 has it; '-' cannot come first ('#' is a comment).
bool is_field_name(std::string_view name) {
    if (name.empty() || name.front() == '-') return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

bool debian_control_reader::next(std::vector<control_field>& out) {
    text_.clear();
    fields_.clear();
    after_bad_line_ = false;
    std::string_view line;
    while (read_line(line)) {
        line = without_trailing_blanks(line);
        if (!line.empty()) {
            take_line(line);
        } else if (!fields_.empty()) {
            break;
        }
    }
    out.clear();
    for (const extent& field : fields_) {
        const std::string_view text = text_;
        out.push_back({text.substr(field.name_begin, field.name_bytes),
                       text.substr(field.value_begin, field.value_bytes)});
    }
    return !out.empty();
}

/// The next line without its newline, valid until the next call. False at the end.
bool debian_control_reader::read_line(std::string_view& line) {
    carried_.clear();
    overlong_ = false;
    while (!at_end_) {
        if (chunk_.empty()) {
            chunk_ = source_->read();
            at_end_ = chunk_.empty();
            continue;
        }
        const auto newline = chunk_.find('\n');
        const auto part = chunk_.substr(0, newline);
        chunk_.remove_prefix(newline == std::string_view::npos ? part.size() : newline + 1);
        if (newline != std::string_view::npos && carried_.empty()) {
            line = part;
            ++line_;
            return true;
        }
        const auto room = stanza_bytes_max - carried_.size();
        if (part.size() > room) overlong_ = true;
        carried_.append(part.substr(0, room));
        if (newline != std::string_view::npos) break;
    }
    // The end of the file ends its last line, too.
    if (at_end_ && carried_.empty()) return false;
    line = carried_;
    ++line_;
    return true;
}

void debian_control_reader::take_line(std::string_view line) {
    if (line.front() == '#') return;
    if (overlong_ || text_.size() + line.size() > stanza_bytes_max) {
        ++bad_lines_;
        after_bad_line_ = true;
        return;
    }
    if (line.front() == ' ' || line.front() == '\t') {
        if (fields_.empty() || after_bad_line_) {
            ++bad_lines_;
            return;
        }
        line.remove_prefix(1);
        add_continuation(line == "." ? std::string_view{} : line);
        return;
    }
    const auto colon = line.find(':');
    const auto name = without_trailing_blanks(line.substr(0, colon));
    if (colon == std::string_view::npos || !is_field_name(name)) {
        ++bad_lines_;
        after_bad_line_ = true;
        return;
    }
    after_bad_line_ = false;
    add_field(name, without_leading_blanks(line.substr(colon + 1)));
}

void debian_control_reader::add_field(std::string_view name, std::string_view value) {
    const auto begin = text_.size();
    text_.append(name).append(value);
    fields_.push_back({begin, name.size(), begin + name.size(), value.size()});
}

void debian_control_reader::add_continuation(std::string_view text) {
    // A value is always the last thing in text_, so it can grow in place.
    text_.push_back('\n');
    text_.append(text);
    fields_.back().value_bytes += 1 + text.size();
}

}  // namespace skiff_cli
