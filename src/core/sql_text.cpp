// A small scanner of SQL text: white space, comments, strings, names; no more than is needed.
#include "core/sql_text.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <climits>

namespace skiff::detail {

namespace {

/// SQLite takes it for white space.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The end of the comment that starts at `from`, or `from` when none starts there.
std::size_t skip_comment(std::string_view sql, std::size_t from) noexcept {
    const std::string_view rest = sql.substr(from);
    if (rest.starts_with("--")) {
        const auto end = sql.find('\n', from);
        return end == std::string_view::npos ? sql.size() : end + 1;
    }
    if (rest.starts_with("/*")) {
        const auto end = sql.find("*/", from + 2);
        return end == std::string_view::npos ? sql.size() : end + 2;
    }
    return from;
}

/// The end of the string or quoted name that starts at `from`.
std::size_t skip_quoted(std::string_view sql, std::size_t from) noexcept {
    const char closing = sql[from] == '[' ? ']' : sql[from];
    for (std::size_t at = from + 1; at < sql.size(); ++at) {
        if (sql[at] != closing) continue;
        const bool doubled = closing != ']' && at + 1 < sql.size() && sql[at + 1] == closing;
        if (!doubled) return at + 1;
        ++at;
    }
    return sql.size();
}

bool equals_word(std::string_view word, std::string_view wanted) noexcept {
    if (word.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (lower(word[i]) != wanted[i]) return false;
    }
    return true;
}

std::size_t word_end(std::string_view sql, std::size_t from) noexcept {
    while (from < sql.size() && is_word(sql[from])) ++from;
    return from;
}

}  // namespace

std::size_t skip_blank(std::string_view sql, std::size_t from) noexcept {
    while (from < sql.size()) {
        const auto after_comment = skip_comment(sql, from);
        if (after_comment != from) {
            from = after_comment;
        } else if (sql.substr(from).starts_with(byte_order_mark)) {
            from += byte_order_mark.size();
        } else if (is_space(sql[from]) || sql[from] == ';') {
            ++from;
        } else {
            break;
        }
    }
    return from;
}

void check_sql_size(std::string_view sql) {
    if (sql.size() > INT_MAX) {
        throw_error({.code = errc::too_big,
                     .message = "SQL text is longer than 2147483647 bytes",
                     .operation = "prepare"});
    }
    const auto nul = sql.find('\0');
    if (nul != std::string_view::npos) {
        throw_error({.code = errc::misuse,
                     .message = "SQL text holds a NUL byte",
                     .operation = "prepare",
                     .sql = std::string(sql.substr(0, nul)),
                     .sql_offset = static_cast<int>(nul),
                     .advice = "bind values with zero bytes as arguments instead"});
    }
}

void check_single_statement(std::string_view sql, bool found_one, const char* tail) {
    if (!found_one) {
        throw_error({.code = errc::empty_statement,
                     .message = "the text holds no SQL statement",
                     .operation = "prepare",
                     .sql = std::string(sql)});
    }
    const auto next = skip_blank(sql, static_cast<std::size_t>(tail - sql.data()));
    if (next == sql.size()) return;
    throw_error({.code = errc::second_statement,
                 .message = "the text holds more than one SQL statement",
                 .operation = "prepare",
                 .sql = std::string(sql),
                 .sql_offset = static_cast<int>(next),
                 .advice = "run them one by one, or use exec_script for a script"});
}

std::string first_keyword(std::string_view sql) {
    const auto start = skip_blank(sql, 0);
    std::string word(sql.substr(start, word_end(sql, start) - start));
    for (char& c : word) c = lower(c);
    return word;
}

bool has_or_rollback(std::string_view sql) noexcept {
    bool after_or = false;
    for (std::size_t at = skip_blank(sql, 0); at < sql.size(); at = skip_blank(sql, at)) {
        const char c = sql[at];
        if (c == '\'' || c == '"' || c == '`' || c == '[') {
            at = skip_quoted(sql, at);
            after_or = false;
        } else if (is_word(c)) {
            const auto end = word_end(sql, at);
            const auto word = sql.substr(at, end - at);
            if (after_or && equals_word(word, "rollback")) return true;
            after_or = equals_word(word, "or") || equals_word(word, "conflict");
            at = end;
        } else {
            ++at;
            after_or = false;
        }
    }
    return false;
}

void check_keeps_transaction(std::string_view sql) {
    if (first_keyword(sql) == "vacuum") {
        throw_error({.code = errc::refused,
                     .message = "VACUUM cannot run inside a transaction",
                     .operation = "prepare",
                     .sql = std::string(sql),
                     .advice = "run it through database::write_without_transaction"});
    }
    if (!has_or_rollback(sql)) return;
    throw_error({.code = errc::refused,
                 .message = "'or rollback' would roll back the transaction under other callers",
                 .operation = "prepare",
                 .sql = std::string(sql),
                 .advice = "use 'or abort' and throw from the closure to roll it back"});
}

std::string quote_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace skiff::detail
