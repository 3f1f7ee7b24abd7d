// Lines are found first and parsed one by one, so that a broken one costs nothing but itself.
#include "import/json_reader.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace skiff_cli {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t\r";

}  // namespace

/// Reads the next line into text_; false at the end.
bool json_reader::read_line() {
    text_.clear();
    too_long_ = false;
    bool any = false;
    while (!at_end_) {
        if (chunk_.empty()) {
            chunk_ = source_->read();
            at_end_ = chunk_.empty();
            continue;
        }
        any = true;
        const std::size_t end = chunk_.find('\n');
        const std::string_view part = chunk_.substr(0, end);
        const std::size_t room = record_bytes_max - text_.size();
        too_long_ = too_long_ || part.size() > room;
        text_ += part.substr(0, room);
        chunk_.remove_prefix(end == std::string_view::npos ? part.size() : end + 1);
        if (end != std::string_view::npos) break;
    }
    if (!any) return false;
    if (++line_ == 1 && text_.starts_with(byte_order_mark)) text_.erase(0, byte_order_mark.size());
    text_.erase(text_.find_last_not_of(blanks) + 1);
    return true;
}

bool json_reader::next(record& out) {
    do {
        if (!read_line()) return false;
    } while (text_.empty());
    out.line = line_;
    out.raw = text_;
    out.problem.clear();
    out.cells.clear();
    made_texts_.clear();
    if (too_long_) {
        out.problem = fmt::format("longer than {} bytes", record_bytes_max);
        return true;
    }
    try {
        object_ = nlohmann::ordered_json::parse(text_);
        if (object_.is_object()) {
            take_object(out);
        } else {
            out.problem = fmt::format("not a JSON object but {}", object_.type_name());
        }
    } catch (const nlohmann::json::parse_error& fault) {
        out.problem = fmt::format("invalid JSON at byte {}", fault.byte);
    } catch (const nlohmann::json::exception&) {
        out.problem = "a number is out of range";
    }
    return true;
}

void json_reader::take_object(record& out) {
    for (const auto& [key, value] : object_.items()) {
        cell* target = keys_.find(out, key);
        if (target == nullptr) {
            out.problem = fmt::format("more than {} different keys", keyed_columns::names_max);
            return;
        }
        *target = cell_of(value);
    }
}

cell json_reader::cell_of(const nlohmann::ordered_json& value) {
    using type = nlohmann::ordered_json::value_t;
    constexpr auto integer_max =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    cell made;
    switch (value.type()) {
        case type::null:
            made.what = cell::kind::null;
            return made;
        case type::boolean:
            made.what = cell::kind::integer;
            made.integer = value.get<bool>() ? 1 : 0;
            return made;
        case type::number_unsigned:
            if (value.get<std::uint64_t>() > integer_max) break;
            [[fallthrough]];
        case type::number_integer:
            made.what = cell::kind::integer;
            made.integer = value.get<std::int64_t>();
            return made;
        case type::number_float:
            made.what = cell::kind::real;
            made.real = value.get<double>();
            return made;
        case type::string:
            made.what = cell::kind::text;
            made.text = value.get_ref<const std::string&>();
            return made;
        default:
            break;
    }
    made.what = cell::kind::text;
    made.text = made_texts_.emplace_back(value.dump());
    return made;
}

}  // namespace skiff_cli
