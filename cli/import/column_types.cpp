// INTEGER and REAL columns are strict; the other kinds take everything.
#include "import/column_types.hpp"

#include "terminal.hpp"
#include "value_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace skiff_cli {

namespace {

void set_text(skiff::value& target, std::string_view text) {
    if (auto* held = std::get_if<std::string>(&target)) {
        held->assign(text);
    } else {
        target.emplace<std::string>(text);
    }
}

bool set_integer(skiff::value& target, std::string_view text) {
    const auto number = integer_in(text);
    if (number) target = *number;
    return number.has_value();
}

bool set_real(skiff::value& target, std::string_view text) {
    const auto number = real_in(text);
    if (number) target = *number;
    return number.has_value();
}

bool convert_text(std::string_view text, column_type type, skiff::value& target) {
    switch (type) {
        case column_type::integer:
            return set_integer(target, text);
        case column_type::real:
            return set_integer(target, text) || set_real(target, text);
        case column_type::numeric:
            if (set_integer(target, text) || set_real(target, text)) return true;
            break;
        case column_type::text:
        case column_type::any:
            break;
    }
    set_text(target, text);
    return true;
}

}  // namespace

std::string_view name_of(column_type type) noexcept {
    switch (type) {
        case column_type::integer:
            return "INTEGER";
        case column_type::real:
            return "REAL";
        case column_type::text:
            return "TEXT";
        case column_type::numeric:
            return "NUMERIC";
        case column_type::any:
            break;
    }
    return "";
}

column_type declared_type(std::string_view declaration) {
    std::string upper(declaration);
    std::ranges::transform(upper, upper.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - ('a' - 'A')) : letter;
    });
    const auto has = [&](std::string_view part) { return upper.find(part) != std::string::npos; };
    if (has("INT")) return column_type::integer;
    if (has("CHAR") || has("CLOB") || has("TEXT")) return column_type::text;
    if (has("BLOB") || upper.empty() || upper == "ANY") return column_type::any;
    if (has("REAL") || has("FLOA") || has("DOUB")) return column_type::real;
    return column_type::numeric;
}

void type_guess::add(const cell& seen) {
    switch (seen.what) {
        case cell::kind::missing:
        case cell::kind::null:
            break;
        case cell::kind::text:
            others_ = true;
            break;
        case cell::kind::integer:
            integers_ = true;
            break;
        case cell::kind::real:
            reals_ = true;
            break;
        case cell::kind::untyped:
            if (others_) break;
            if (integer_in(seen.text)) {
                integers_ = true;
            } else if (real_in(seen.text)) {
                reals_ = true;
            } else {
                others_ = true;
            }
            break;
    }
}

column_type type_guess::result() const noexcept {
    if (others_ || (!integers_ && !reals_)) return column_type::text;
    return reals_ ? column_type::real : column_type::integer;
}

bool convert(const cell& source, column_type type, skiff::value& target) {
    switch (source.what) {
        case cell::kind::missing:
        case cell::kind::null:
            target = skiff::null;
            return true;
        case cell::kind::untyped:
            return convert_text(source.text, type, target);
        case cell::kind::text:
            if (type == column_type::integer || type == column_type::real) return false;
            set_text(target, source.text);
            return true;
        case cell::kind::integer:
            target = source.integer;
            return true;
        case cell::kind::real:
            if (type == column_type::integer) return false;
            target = source.real;
            return true;
    }
    return false;
}

std::string shown(const cell& source) {
    constexpr int columns_max = 40;
    switch (source.what) {
        case cell::kind::integer:
            return fmt::format("{}", source.integer);
        case cell::kind::real:
            return fmt::format("{}", source.real);
        case cell::kind::missing:
        case cell::kind::null:
            return "NULL";
        case cell::kind::untyped:
        case cell::kind::text:
            break;
    }
    const auto start = clipped(source.text, columns_max);
    return fmt::format("'{}{}'", start, start.size() < source.text.size() ? "…" : "");
}

}  // namespace skiff_cli
