// Relationship fields as Debian Policy 7.1 writes them.
#include "demo/dependency_list.hpp"

#include <algorithm>
#include <utility>

namespace skiff_cli {

namespace {

constexpr std::string_view list_blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(list_blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(list_blanks) - first + 1);
}

/// Cuts `text` at the first `separator` and returns what was before it.
std::string_view take_until(std::string_view& text, char separator) {
    const auto at = text.find(separator);
    const auto part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

/// Policy 5.6.1: lower case letters, digits, plus, minus and full stop.
bool is_package_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    });
}

/// "name[:arch] [(relation version)] [[arch …]] [<profile …>]".
bool parse_target(std::string_view entry, dependency_target& out) {
    const auto name_end = entry.find_first_of(" \t\r\n([<:");
    out.name = entry.substr(0, name_end);
    if (!is_package_name(out.name)) return false;
    entry.remove_prefix(out.name.size());
    const auto open = entry.find('(');
    if (open == std::string_view::npos) {
        out.requirement = {};
        return entry.find(')') == std::string_view::npos;
    }
    const auto close = entry.find(')', open);
    if (close == std::string_view::npos) return false;
    out.requirement = trimmed(entry.substr(open + 1, close - open - 1));
    return !out.requirement.empty();
}

}  // namespace

std::size_t parse_dependencies(std::string_view field, std::vector<dependency_target>& out) {
    std::size_t bad = 0;
    while (!field.empty()) {
        auto alternatives = take_until(field, ',');
        // A comma at the end, or two in a row, names nothing and harms nothing.
        if (trimmed(alternatives).empty()) continue;
        while (!alternatives.empty()) {
            dependency_target target;
            if (parse_target(trimmed(take_until(alternatives, '|')), target)) {
                out.push_back(target);
            } else {
                ++bad;
            }
        }
    }
    return bad;
}

}  // namespace skiff_cli
