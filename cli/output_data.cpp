// CSV and JSON output: what programs read. Nothing is cut or made prettier here.
#include "output_writers.hpp"

#include <skiff/mapping/blob.hpp>
#include <skiff/mapping/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skiff_cli {

namespace {

constexpr auto whole = std::numeric_limits<std::size_t>::max();

void append_base64(std::string& line, skiff::blob_view content) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t at = 0; at < content.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, content.size() - at);
        std::uint32_t bits = 0;
        for (std::size_t index = 0; index < 3; ++index) {
            bits =
                bits << 8 | (index < count ? static_cast<std::uint32_t>(content[at + index]) : 0);
        }
        for (std::size_t index = 0; index < 4; ++index) {
            line += index <= count ? digits[bits >> (18 - 6 * index) & 63] : '=';
        }
    }
}

void append_json(std::string& line, const skiff::value_ref& value) {
    switch (value.type()) {
        case skiff::storage_class::null:
            line += "null";
            break;
        case skiff::storage_class::integer:
            fmt::format_to(std::back_inserter(line), "{}", value.integer());
            break;
        case skiff::storage_class::real: {
            // JSON has no infinity; an exponent out of range reads as one nearly everywhere.
            const double number = value.real();
            line += std::isinf(number) ? (number < 0 ? "-9e999" : "9e999") : real_text(number);
            break;
        }
        case skiff::storage_class::text:
            line += json_string(value.text());
            break;
        case skiff::storage_class::blob:
            line += R"({"$blob":")";
            append_base64(line, value.bytes());
            line += "\"}";
            break;
    }
}

}  // namespace

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void csv_writer::begin(const std::vector<std::string>& columns) {
    line_.clear();
    if (std::exchange(another_result_, true)) line_ += '\n';
    for (const auto& name : columns) {
        append_text(name);
        line_ += ',';
    }
    if (!columns.empty()) line_.back() = '\n';
    target_->write(line_);
}

void csv_writer::append_text(std::string_view text) {
    const bool quoted = text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos ||
                        text.front() == ' ' || text.back() == ' ';
    if (!quoted) {
        line_ += text;
        return;
    }
    line_ += '"';
    for (const char character : text) {
        if (character == '"') line_ += '"';
        line_ += character;
    }
    line_ += '"';
}

void csv_writer::append(const skiff::value_ref& value) {
    switch (value.type()) {
        case skiff::storage_class::null:
            break;
        case skiff::storage_class::integer:
            fmt::format_to(std::back_inserter(line_), "{}", value.integer());
            break;
        case skiff::storage_class::real:
            line_ += real_text(value.real());
            break;
        case skiff::storage_class::text:
            append_text(value.text());
            break;
        case skiff::storage_class::blob:
            line_ += blob_text(value.bytes(), whole);
            break;
    }
}

void csv_writer::add(const skiff::row& row) {
    line_.clear();
    for (int column = 0; column < row.size(); ++column) {
        if (column > 0) line_ += ',';
        append(row.at(column));
    }
    line_ += '\n';
    target_->write(line_);
}

void json_writer::begin(const std::vector<std::string>& columns) {
    keys_.clear();
    std::vector<std::string> taken;
    for (const auto& name : columns) {
        std::string different = name;
        for (int copy = 2; std::ranges::find(taken, different) != taken.end(); ++copy) {
            different = fmt::format("{}:{}", name, copy);
        }
        keys_.push_back(json_string(different) + ":");
        taken.push_back(std::move(different));
    }
    first_row_ = true;
    target_->write("[");
}

void json_writer::add(const skiff::row& row) {
    line_ = std::exchange(first_row_, false) ? "{" : ",\n{";
    for (int column = 0; column < row.size(); ++column) {
        if (column > 0) line_ += ',';
        line_ += keys_[static_cast<std::size_t>(column)];
        append_json(line_, row.at(column));
    }
    line_ += '}';
    target_->write(line_);
}

void json_writer::end() {
    target_->write("]\n");
}

}  // namespace skiff_cli
