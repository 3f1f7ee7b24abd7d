// Questions about SQL text that SQLite does not answer: what follows the first statement, which
// keyword comes first, how a name is quoted.
#pragma once

#include <string>
#include <string_view>

namespace skiff::detail {

/// Offset of the first byte that is neither white space, comment nor semicolon; size() if none.
std::size_t skip_blank(std::string_view sql, std::size_t from) noexcept;
/// Throws too_big for a text SQLite cannot take, and misuse for one with a NUL byte in it.
void check_sql_size(std::string_view sql);
/// Throws unless `sql` held exactly one statement; `tail` is where SQLite stopped reading.
void check_single_statement(std::string_view sql, bool found_one, const char* tail);
/// The first keyword in lower case, "" when there is none.
std::string first_keyword(std::string_view sql);
/// Whether the words "or rollback" stand in the text outside of strings, names and comments.
bool has_or_rollback(std::string_view sql) noexcept;
/// Throws `refused` for SQL with "or rollback", which would end the transaction of others, and for
/// VACUUM, which cannot run in one.
void check_keeps_transaction(std::string_view sql);
/// `name` as an SQL identifier in double quotes.
std::string quote_name(std::string_view name);

}  // namespace skiff::detail
