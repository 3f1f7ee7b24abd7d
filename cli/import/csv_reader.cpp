// The scanner works on offsets from the record's start, because the buffer moves when it is filled.
#include "import/csv_reader.hpp"

#include "value_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace skiff_cli {

namespace {

constexpr char quote = '"';
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

csv_reader::csv_reader(byte_source& source, csv_options options)
    : source_(&source), options_(std::move(options)) {
    if (has(2) && std::string_view(buffer_).starts_with(byte_order_mark)) {
        begin_ = byte_order_mark.size();
    }
    do {
        if (!scan_record()) throw std::runtime_error("the source is empty");
    } while (length_ == 0 && options_.header);
    if (!problem_.empty()) {
        throw std::runtime_error(
            fmt::format("line {}: {}, so there are no column names", line_, problem_));
    }
    count_columns();
    have_record_ = !options_.header;
}

/// Names the columns: by the header, else by number.
void csv_reader::count_columns() {
    unescaped_.reserve(length_);
    for (const extent& field : fields_) {
        const auto number = columns_.size() + 1;
        std::string name(options_.header ? text_of(field) : std::string_view());
        if (!is_valid_utf8(name)) throw std::runtime_error("the column names are not UTF-8");
        columns_.push_back(name.empty() ? fmt::format("column_{}", number) : std::move(name));
    }
}

bool csv_reader::fill() {
    if (at_end_) return false;
    const auto chunk = source_->read();
    if (chunk.empty()) {
        at_end_ = true;
        return false;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    buffer_ += chunk;
    return true;
}

/// The byte at `offset` is there.
bool csv_reader::has(std::size_t offset) {
    while (begin_ + offset >= buffer_.size()) {
        if (!fill()) return false;
    }
    return true;
}

bool csv_reader::ends_line(std::size_t offset) {
    if (!has(offset)) return true;
    if (byte(offset) == '\n') return true;
    return byte(offset) == '\r' && has(offset + 1) && byte(offset + 1) == '\n';
}

bool csv_reader::next(record& out) {
    if (!std::exchange(have_record_, false)) {
        do {
            if (!scan_record()) return false;
        } while (length_ == 0 && columns_.size() > 1);  // a blank line
    }
    out.line = line_;
    out.raw = std::string_view(buffer_).substr(begin_, length_);
    out.problem = std::move(problem_);
    out.cells.clear();
    if (!out.problem.empty()) return true;
    if (fields_.size() != columns_.size()) {
        out.problem = fmt::format("{} field{} instead of {}", fields_.size(),
                                  fields_.size() == 1 ? "" : "s", columns_.size());
    } else if (!is_valid_utf8(out.raw)) {
        out.problem = "not valid UTF-8";
    } else {
        make_cells(out);
    }
    return true;
}

/// Moves past the last record and scans the next one. False when there is none.
bool csv_reader::scan_record() {
    const std::string_view past = std::string_view(buffer_).substr(begin_, consumed_);
    line_ += static_cast<std::uint64_t>(std::ranges::count(past, '\n'));
    begin_ += consumed_;
    length_ = 0;
    consumed_ = 0;
    problem_.clear();
    fields_.clear();
    if (!has(0)) return false;
    std::size_t offset = 0;
    for (;;) {
        if (has(offset) && byte(offset) == quote) {
            if (!scan_quoted(offset)) return true;
        } else {
            scan_plain(offset);
        }
        if (offset >= record_bytes_max) {
            reject_long_line(offset);
            return true;
        }
        if (!has(offset) || byte(offset) != options_.delimiter) break;
        ++offset;
    }
    length_ = offset;
    consumed_ = offset;
    if (has(offset)) consumed_ += byte(offset) == '\r' ? 2 : 1;
    return true;
}

/// A quoted field at `offset`, which moves behind it. False when the record is bad.
bool csv_reader::scan_quoted(std::size_t& offset) {
    extent field{.begin = offset + 1, .end = 0, .quoted = true};
    std::size_t from = field.begin;
    for (;;) {
        const std::size_t found = buffer_.find(quote, begin_ + from);
        if (found == std::string::npos) {
            from = buffer_.size() - begin_;
            if (from > record_bytes_max || !fill()) {
                reject_first_line("a quote is not closed");
                return false;
            }
            continue;
        }
        field.end = found - begin_;
        if (!has(field.end + 1) || byte(field.end + 1) != quote) break;
        field.escaped = true;
        from = field.end + 2;
    }
    offset = field.end + 1;
    if (!ends_line(offset) && byte(offset) != options_.delimiter) {
        reject_first_line("text after a closing quote");
        return false;
    }
    fields_.push_back(field);
    return true;
}

/// A field without quotes at `offset`, which moves behind it.
void csv_reader::scan_plain(std::size_t& offset) {
    extent field{.begin = offset, .end = 0};
    while (offset < record_bytes_max && has(offset)) {
        const char found = byte(offset);
        if (found == options_.delimiter || found == '\n') break;
        if (found == '\r' && ends_line(offset)) break;
        if (found == quote && problem_.empty()) problem_ = "a quote inside an unquoted field";
        ++offset;
    }
    field.end = offset;
    fields_.push_back(field);
}

/// The record is the line that it begins in, and bad.
void csv_reader::reject_first_line(std::string problem) {
    problem_ = std::move(problem);
    std::size_t end = buffer_.find('\n', begin_);
    while (end == std::string::npos && buffer_.size() - begin_ < record_bytes_max && fill()) {
        end = buffer_.find('\n', begin_);
    }
    if (end == std::string::npos) {
        reject_long_line(std::min(buffer_.size() - begin_, record_bytes_max));
        return;
    }
    length_ = end - begin_;
    consumed_ = length_ + 1;
    if (length_ > 0 && byte(length_ - 1) == '\r') --length_;
}

/// The line goes on beyond the first `kept` bytes: keeps those and drops the rest.
void csv_reader::reject_long_line(std::size_t kept) {
    if (kept >= record_bytes_max) {
        problem_ = fmt::format("longer than {} bytes", record_bytes_max);
    }
    length_ = kept;
    consumed_ = kept;
    // The start of the record stays; what follows it is dropped chunk by chunk.
    for (;;) {
        const std::size_t end = buffer_.find('\n', begin_ + kept);
        if (end != std::string::npos) {
            buffer_.erase(begin_ + kept, end - begin_ - kept);
            consumed_ = kept + 1;
            return;
        }
        buffer_.resize(begin_ + kept);
        if (!fill()) return;
    }
}

std::string_view csv_reader::text_of(const extent& field) {
    const auto raw =
        std::string_view(buffer_).substr(begin_ + field.begin, field.end - field.begin);
    if (!field.escaped) return raw;
    const std::size_t begin = unescaped_.size();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        unescaped_ += raw[at];
        if (raw[at] == quote) ++at;
    }
    return std::string_view(unescaped_).substr(begin);
}

cell csv_reader::cell_of(const extent& field) {
    cell made;
    made.text = text_of(field);
    const bool is_null = !field.quoted && made.text == options_.null_text;
    made.what = is_null ? cell::kind::null : cell::kind::untyped;
    return made;
}

void csv_reader::make_cells(record& out) {
    unescaped_.clear();
    unescaped_.reserve(length_);  // so that views into it stay valid
    for (const extent& field : fields_) out.cells.push_back(cell_of(field));
}

}  // namespace skiff_cli
