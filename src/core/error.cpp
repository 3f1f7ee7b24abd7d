// skiff::error itself: its text, and which class stands for which code.
#include <skiff/error.hpp>

#include <sqlite3.h>

#include <algorithm>

namespace skiff {

namespace {

/// Bytes of SQL shown on either side of the fault in what().
constexpr std::size_t sql_shown_bytes = 60;

struct named_code {
    int code;
    const char* name;
};

constexpr named_code sqlite_codes[] = {
#define SKIFF_NAMED_CODE(name) {name, #name},
#include "core/error_names.inc"
#undef SKIFF_NAMED_CODE
};

struct own_code {
    errc code;
    const char* name;
};

constexpr own_code own_codes[] = {
    {errc::conversion, "SKIFF_CONVERSION"},
    {errc::no_row, "SKIFF_NO_ROW"},
    {errc::many_rows, "SKIFF_MANY_ROWS"},
    {errc::arguments, "SKIFF_ARGUMENTS"},
    {errc::empty_statement, "SKIFF_EMPTY_STATEMENT"},
    {errc::second_statement, "SKIFF_SECOND_STATEMENT"},
    {errc::closed, "SKIFF_CLOSED"},
    {errc::refused, "SKIFF_REFUSED"},
    {errc::timeout, "SKIFF_TIMEOUT"},
    {errc::batch_aborted, "SKIFF_BATCH_ABORTED"},
    {errc::outcome_unknown, "SKIFF_OUTCOME_UNKNOWN"},
    {errc::poisoned, "SKIFF_POISONED"},
    {errc::unsupported, "SKIFF_UNSUPPORTED"},
};

/// The second or a later byte of a character in UTF-8.
bool is_inside_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The SQL around the fault, "…" where it was cut.
std::string sql_excerpt(const std::string& sql, int offset) {
    const std::size_t fault =
        offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), sql.size());
    std::size_t start = fault > sql_shown_bytes ? fault - sql_shown_bytes : 0;
    std::size_t end = std::min(sql.size(), fault + sql_shown_bytes);
    while (start < end && is_inside_character(sql[start])) ++start;
    while (end > start && end < sql.size() && is_inside_character(sql[end])) --end;
    std::string shown = start > 0 ? "…" : "";
    shown.append(sql, start, end - start);
    return end < sql.size() ? shown + "…" : shown;
}

std::string compose(const error_details& details) {
    std::string text = details.message;
    if (!details.operation.empty()) text += " [" + details.operation + "]";
    if (!details.object.empty()) text += ": " + details.object;
    if (details.extended_code != 0) {
        text += " (";
        text += name_of_extended(details.extended_code);
        text += ")";
    }
    if (details.system_errno != 0) text += " (errno " + std::to_string(details.system_errno) + ")";
    if (!details.sql.empty()) {
        text += "; SQL: " + sql_excerpt(details.sql, details.sql_offset);
        if (details.sql_offset >= 0) text += " at byte " + std::to_string(details.sql_offset);
    }
    if (!details.advice.empty()) text += "; " + details.advice;
    // One line, whatever names and texts are in it.
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    }
    return text;
}

}  // namespace

struct error::shared_state {
    error_details details;
    std::string text;
};

error::error(error_details details) {
    auto made = std::make_shared<shared_state>();
    made->text = compose(details);
    made->details = std::move(details);
    state_ = std::move(made);
}

const char* error::what() const noexcept {
    return state_->text.c_str();
}
errc error::code() const noexcept {
    return state_->details.code;
}
int error::extended_code() const noexcept {
    return state_->details.extended_code;
}
int error::system_errno() const noexcept {
    return state_->details.system_errno;
}
std::string_view error::message() const noexcept {
    return state_->details.message;
}
std::string_view error::operation() const noexcept {
    return state_->details.operation;
}
std::string_view error::object() const noexcept {
    return state_->details.object;
}
std::string_view error::sql() const noexcept {
    return state_->details.sql;
}
int error::sql_offset() const noexcept {
    return state_->details.sql_offset;
}
std::string_view error::advice() const noexcept {
    return state_->details.advice;
}
const error_details& error::details() const noexcept {
    return state_->details;
}

const char* name_of_extended(int extended_code) noexcept {
    for (const auto& each : sqlite_codes) {
        if (each.code == extended_code) return each.name;
    }
    for (const auto& each : sqlite_codes) {
        if (each.code == (extended_code & 0xff)) return each.name;
    }
    return "SQLITE_UNKNOWN";
}

const char* name_of(errc code) noexcept {
    for (const auto& each : own_codes) {
        if (each.code == code) return each.name;
    }
    return name_of_extended(static_cast<int>(code));
}

void throw_error(error_details details) {
    switch (details.code) {
        case errc::busy:
            if (details.extended_code == SQLITE_BUSY_SNAPSHOT) {
                throw busy_snapshot(std::move(details));
            }
            throw busy(std::move(details));
        case errc::locked:
            throw busy(std::move(details));
        case errc::constraint:
            throw constraint(std::move(details));
        case errc::interrupted:
            throw interrupted(std::move(details));
        case errc::corrupt:
        case errc::not_a_database:
            throw corrupt(std::move(details));
        case errc::no_row:
            throw no_row(std::move(details));
        case errc::conversion:
            throw conversion(std::move(details));
        case errc::timeout:
            throw timeout(std::move(details));
        case errc::outcome_unknown:
            throw outcome_unknown(std::move(details));
        default:
            throw error(std::move(details));
    }
}

}  // namespace skiff
