// The out-of-line half of reading and binding: conversions that are rare, and their errors.
#include "core/utf8.hpp"

#include <skiff/detail/kept_value.hpp>
#include <skiff/error.hpp>
#include <skiff/mapping/array.hpp>
#include <skiff/mapping/compound.hpp>
#include <skiff/row.hpp>

#include <sqlite3.h>

#include <climits>
#include <cmath>
#include <string>

namespace skiff {

namespace detail {

namespace {

/// Characters of a value that an error message shows.
constexpr std::size_t shown_bytes = 40;

std::string shown(sqlite3_value* found) {
    switch (sqlite3_value_type(found)) {
        case SQLITE_INTEGER:
            return std::to_string(sqlite3_value_int64(found));
        case SQLITE_FLOAT:
            return std::to_string(sqlite3_value_double(found));
        case SQLITE_TEXT: {
            std::string text(reinterpret_cast<const char*>(sqlite3_value_text(found)),
                             static_cast<std::size_t>(sqlite3_value_bytes(found)));
            if (text.size() > shown_bytes) {
                std::size_t end = shown_bytes;  // not inside a character
                while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
                text = text.substr(0, end) + "…";
            }
            return "'" + text + "'";
        }
        case SQLITE_BLOB:
            return "a blob of " + std::to_string(sqlite3_value_bytes(found)) + " bytes";
        default:
            return "NULL";
    }
}

std::string place(value_origin origin) {
    if (origin.statement != nullptr) {
        return "column " + std::to_string(origin.index) + " \"" +
               std::string(column_name(origin.statement, origin.index)) + "\"";
    }
    std::string text = "argument " + std::to_string(origin.index + 1);
    if (origin.function_name != nullptr) text += std::string(" of ") + origin.function_name + "()";
    return text;
}

error_details conversion_details(value_origin origin, std::string message) {
    error_details details;
    details.code = errc::conversion;
    details.message = std::move(message);
    details.operation = "read";
    details.object = place(origin);
    if (origin.statement != nullptr) details.sql = sqlite3_sql(origin.statement);
    return details;
}

}  // namespace

void throw_wrong_type(sqlite3_value* found, value_origin origin, std::string_view wanted) {
    const auto kind = static_cast<storage_class>(sqlite3_value_type(found));
    auto details = conversion_details(
        origin, std::string(name_of(kind)) + " cannot be read as " + std::string(wanted));
    if (kind == storage_class::null) {
        details.advice = "read it as std::optional if NULL is a normal answer";
    } else {
        details.advice = "found " + shown(found) + "; read it as another type, or cast it in SQL";
    }
    throw_error(std::move(details));
}

void throw_out_of_range(sqlite3_value* found, value_origin origin, std::string_view wanted) {
    throw_error(
        conversion_details(origin, shown(found) + " does not fit into " + std::string(wanted)));
}

void throw_bad_value(sqlite3_value* found, value_origin origin, std::string_view problem) {
    throw_error(conversion_details(origin, std::string(problem) + ": " + shown(found)));
}

void throw_no_memory(value_origin origin) {
    auto details = conversion_details(origin, "out of memory");
    details.code = errc::no_memory;
    details.extended_code = SQLITE_NOMEM;
    throw_error(std::move(details));
}

std::string_view column_name(sqlite3_stmt* statement, int index) {
    const char* name = sqlite3_column_name(statement, index);
    return name != nullptr ? std::string_view(name) : std::string_view();
}

int column_index(sqlite3_stmt* statement, std::string_view name) {
    const int count = sqlite3_column_count(statement);
    for (int index = 0; index < count; ++index) {
        const auto found = column_name(statement, index);
        if (found.size() == name.size() &&
            // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): their size is given, too
            sqlite3_strnicmp(found.data(), name.data(), static_cast<int>(name.size())) == 0) {
            return index;
        }
    }
    throw_no_column(statement, name);
}

void throw_no_column(sqlite3_stmt* statement, std::string_view name) {
    std::string names;
    for (int index = 0; index < sqlite3_column_count(statement); ++index) {
        names += index > 0 ? ", " : "";
        names += column_name(statement, index);
    }
    throw_error({.code = errc::out_of_range,
                 .message = "the row has no column of that name",
                 .operation = "read",
                 .object = std::string(name),
                 .sql = sqlite3_sql(statement),
                 .advice = "its columns are " + names});
}

void throw_column_index(sqlite3_stmt* statement, int index, int count) {
    throw_error({.code = errc::out_of_range,
                 .message = "the row has no column " + std::to_string(index) + ": it has " +
                            std::to_string(count) + ", counted from 0",
                 .operation = "read",
                 .sql = statement != nullptr ? sqlite3_sql(statement) : ""});
}

void throw_column_count(sqlite3_stmt* statement, int found, int wanted, std::string_view type) {
    throw_error({.code = errc::conversion,
                 .message = "the query returns " + std::to_string(found) + " columns, " +
                            std::string(type) + " takes " + std::to_string(wanted),
                 .operation = "read",
                 .sql = sqlite3_sql(statement)});
}

void check_utf8(std::string_view utf8, value_ref source) {
    if (invalid_utf8_offset(utf8) != utf8.size()) source.fail("text is not valid UTF-8");
}

void bind_array(value_sink sink, array_parameter array) {
    auto* held = new array_parameter(std::move(array));
    sink.pointer(held, array_pointer_type,
                 [](void* object) { delete static_cast<array_parameter*>(object); });
}

}  // namespace detail

const char* name_of(storage_class kind) noexcept {
    constexpr const char* names[] = {"INTEGER", "REAL", "TEXT", "BLOB", "NULL"};
    return names[static_cast<int>(kind) - 1];
}

double value_ref::real(std::string_view wanted) const {
    const auto kind = type();
    if (kind == storage_class::real) return sqlite3_value_double(value_);
    if (kind != storage_class::integer) detail::throw_wrong_type(value_, origin_, wanted);
    // Up to 2^53 every integer is a double; above, only some are.
    const std::int64_t number = sqlite3_value_int64(value_);
    const auto converted = static_cast<double>(number);
    constexpr double two_to_63 = 9223372036854775808.0;
    if (converted >= two_to_63 || static_cast<std::int64_t>(converted) != number) {
        detail::throw_out_of_range(value_, origin_, wanted);
    }
    return converted;
}

void value_sink::real(double number) const {
    if (std::isnan(number)) {
        fail("not-a-number cannot be stored", "SQLite has no NaN: bind skiff::null for NULL");
    }
    if (index_ == 0) return sqlite3_result_double(context(), number);
    if (index_ == keeps) return keep_real(number);
    check(sqlite3_bind_double(statement(), index_, number));
}

void value_sink::text(std::string_view utf8) const {
    if (utf8.size() > INT_MAX) return unchecked_text(utf8);  // SQLite says it is too big
    const auto bad = detail::invalid_utf8_offset(utf8);
    if (bad != utf8.size()) {
        const auto problem = "text is not valid UTF-8 at byte " + std::to_string(bad);
        fail(problem, "bind it as bytes, or as skiff::raw_text if it must be stored as it is");
    }
    unchecked_text(utf8);
}

void value_sink::unchecked_text(std::string_view utf8) const {
    if (index_ == keeps) return keep_text(utf8);
    // A null pointer would bind NULL: an empty text is not NULL.
    const char* start = utf8.data() != nullptr ? utf8.data() : "";
    if (index_ == 0) {
        return sqlite3_result_text64(context(), start, utf8.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    const auto keep = borrowed_ == lifetime::call ? SQLITE_STATIC : SQLITE_TRANSIENT;
    check(sqlite3_bind_text64(statement(), index_, start, utf8.size(), keep, SQLITE_UTF8));
}

void value_sink::copied_text(std::string_view utf8) const {
    value_sink copying = *this;
    copying.borrowed_ = lifetime::copied;
    copying.unchecked_text(utf8);
}

void value_sink::bytes(blob_view content) const {
    if (index_ == keeps) return keep_bytes(content);
    const void* start = content.data() != nullptr ? content.data() : static_cast<const void*>("");
    if (index_ == 0) {
        return sqlite3_result_blob64(context(), start, content.size(), SQLITE_TRANSIENT);
    }
    const auto keep = borrowed_ == lifetime::call ? SQLITE_STATIC : SQLITE_TRANSIENT;
    check(sqlite3_bind_blob64(statement(), index_, start, content.size(), keep));
}

void value_sink::zero_blob(std::uint64_t count) const {
    if (index_ == keeps) return keep_zero_blob(count);
    if (index_ == 0) {
        const int code = sqlite3_result_zeroblob64(context(), count);
        if (code != SQLITE_OK) sqlite3_result_error_code(context(), code);
        return;
    }
    check(sqlite3_bind_zeroblob64(statement(), index_, count));
}

void value_sink::pointer(void* object, const char* type_name, void (*destroy)(void*)) const {
    if (index_ == 0) return sqlite3_result_pointer(context(), object, type_name, destroy);
    if (index_ == keeps) return keep_pointer(object, type_name, destroy);
    check(sqlite3_bind_pointer(statement(), index_, object, type_name, destroy));
}

void value_sink::fail(std::string_view problem, const char* advice) const {
    if (index_ == keeps) keeper().origin.fail(problem, advice);
    error_details details;
    details.code = errc::conversion;
    details.message = problem;
    details.operation = index_ == 0 ? "return" : "bind";
    if (index_ != 0) {
        details.object = "parameter " + std::to_string(index_);
        details.sql = sqlite3_sql(statement());
    }
    details.advice = advice;
    throw_error(std::move(details));
}

void value_sink::throw_bind_error(int code) const {
    error_details details;
    details.code = static_cast<errc>(code & 0xff);
    details.extended_code = code;
    details.message = sqlite3_errstr(code);
    details.operation = "bind";
    details.object = "parameter " + std::to_string(index_);
    if (statement() != nullptr) details.sql = sqlite3_sql(statement());
    if (details.code == errc::too_big) {
        details.advice = "the value is longer than the connection's limit (connection::set_limit)";
    }
    throw_error(std::move(details));
}

}  // namespace skiff
