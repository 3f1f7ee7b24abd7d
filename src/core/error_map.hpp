// From SQLite's result codes to skiff::error, in one place. Every function here throws; each must
// be called before the failed statement is reset, while SQLite still has the message.
#pragma once

#include "core/connection_state.hpp"

#include <skiff/error.hpp>

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace skiff::detail {

/// What SQLite says of its last error on `db`.
error_details details_of(sqlite3* db, int code, std::string_view operation);

[[noreturn]] void throw_prepare_error(connection_state& connection, int code, std::string_view sql);
/// For SQL that Skiff runs itself.
[[noreturn]] void throw_sql_error(connection_state& connection, int code, std::string_view sql);
/// For COMMIT: tells "still open" from "unknown", ends the transaction in the latter case.
[[noreturn]] void throw_commit_error(connection_state& connection, int code);
/// For calls that work on a named object: a file, a blob, a function.
[[noreturn]] void throw_object_error(sqlite3* db,
                                     int code,
                                     std::string_view operation,
                                     std::string_view object);
[[noreturn]] void throw_closed(std::string_view what);

/// Turns the details into those of errc::outcome_unknown: `what` ("the commit") may have happened.
void make_outcome_unknown(error_details& details, std::string_view what);
/// An I/O error or lack of memory during COMMIT may have happened after the commit was written
/// (reliability: "COMMIT failed" does not mean "not committed").
[[nodiscard]] bool leaves_commit_unknown(int code) noexcept;
/// A sync failed: from now on the state of the file on the disk is not known.
[[nodiscard]] bool is_failed_sync(int code) noexcept;

}  // namespace skiff::detail
