// What went wrong, where, and what the caller can do: skiff::error and the few subclasses that
// programs catch by type. Thrown by every call of the library that can fail.
#pragma once

#include <skiff/fwd.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace skiff {

/// Primary codes. Values up to 28 are SQLite's own primary result codes (sqlite.org/rescode.html);
/// the rest are found by Skiff before or after SQLite was asked.
enum class errc : int {
    generic = 1,
    internal = 2,
    permission = 3,
    abort = 4,
    busy = 5,
    locked = 6,
    no_memory = 7,
    read_only = 8,
    interrupted = 9,
    io = 10,
    corrupt = 11,
    not_found = 12,
    full = 13,
    cannot_open = 14,
    protocol = 15,
    schema = 17,
    too_big = 18,
    constraint = 19,
    type_mismatch = 20,
    misuse = 21,
    no_large_files = 22,
    not_authorized = 23,
    out_of_range = 25,
    not_a_database = 26,

    conversion = 1000,        ///< a value did not fit the C++ type asked for
    no_row = 1001,            ///< a row was required and there was none
    many_rows = 1002,         ///< one row was required and there were more
    arguments = 1003,         ///< the number or names of arguments do not match the SQL
    empty_statement = 1004,   ///< the text holds no SQL statement
    second_statement = 1005,  ///< the text holds more than one SQL statement
    closed = 1006,            ///< the connection, statement or database was closed before
    refused = 1007,        ///< SQL that would break a promise of the library, refused at that call
    timeout = 1008,        ///< a deadline passed while waiting (nothing was done)
    batch_aborted = 1009,  ///< a neighbour took the shared transaction down; nothing was committed
    outcome_unknown = 1010,  ///< a commit failed in a way that may or may not have stored it
    poisoned = 1011,         ///< an earlier sync failed; writing is refused until reopened
    unsupported = 1012,      ///< this build or this SQLite lacks the feature
};

/// "SQLITE_BUSY", "SKIFF_CONVERSION", …: the name of a code. Static storage; thread-safe.
[[nodiscard]] const char* name_of(errc code) noexcept;
/// The name of a SQLite extended result code, for example "SQLITE_CONSTRAINT_UNIQUE".
[[nodiscard]] const char* name_of_extended(int extended_code) noexcept;

/// The parts of an error. Only `code` and `message` are always there.
struct error_details {
    errc code = errc::generic;
    int extended_code = 0;    ///< SQLite's extended result code, 0 when SQLite was not involved
    int system_errno = 0;     ///< errno of the failed system call, 0 when none
    std::string message{};    ///< what failed, one line
    std::string operation{};  ///< what was being done: "open", "prepare", "step", "bind", …
    std::string object{};     ///< what it was done to: a path, column, parameter or function
    std::string sql{};        ///< the SQL text, when there was one
    int sql_offset = -1;      ///< byte offset of the fault in `sql`, -1 when not known
    std::string advice{};     ///< how to go on, one sentence, may be empty
};

/// Base of all errors. Copying never throws; one thread at a time.
class error : public std::exception {
  public:
    explicit error(error_details details);
    // Without a move: an error that was moved from could no longer be read.
    error(const error&) noexcept = default;
    error& operator=(const error&) noexcept = default;
    ~error() override = default;

    /// One line: message, operation, object, SQL near the fault, advice.
    [[nodiscard]] const char* what() const noexcept override;
    [[nodiscard]] errc code() const noexcept;
    [[nodiscard]] int extended_code() const noexcept;
    [[nodiscard]] int system_errno() const noexcept;
    [[nodiscard]] std::string_view message() const noexcept;
    [[nodiscard]] std::string_view operation() const noexcept;
    [[nodiscard]] std::string_view object() const noexcept;
    [[nodiscard]] std::string_view sql() const noexcept;
    [[nodiscard]] int sql_offset() const noexcept;
    [[nodiscard]] std::string_view advice() const noexcept;
    [[nodiscard]] const error_details& details() const noexcept;

  private:
    struct shared_state;
    std::shared_ptr<const shared_state> state_;
};

/// A lock was not had in time (SQLITE_BUSY, SQLITE_LOCKED). Nothing was done: retry later.
class busy : public error {
  public:
    using error::error;
};

/// A read transaction tried to write after somebody else wrote (SQLITE_BUSY_SNAPSHOT). Waiting
/// never helps: end the transaction and start again, with a write transaction from the beginning.
class busy_snapshot : public busy {
  public:
    using busy::busy;
};

/// A constraint of the schema was violated; extended_code() tells which kind.
class constraint : public error {
  public:
    using error::error;
};

/// The operation was stopped: a stop token, a deadline while running, or connection::interrupt.
class interrupted : public error {
  public:
    using error::error;
};

/// The file is damaged, or not a database at all.
class corrupt : public error {
  public:
    using error::error;
};

/// A query that must return a row returned none.
class no_row : public error {
  public:
    using error::error;
};

/// A value in the database does not fit the C++ type it was read into, or the other way round.
class conversion : public error {
  public:
    using error::error;
};

/// A deadline passed before the work began. Nothing was done.
class timeout : public error {
  public:
    using error::error;
};

/// A commit failed after its data may have reached the file: it may or may not be there after a
/// restart. Never retried by the library; look before you repeat the work.
class outcome_unknown : public error {
  public:
    using error::error;
};

/// Throws `details` as the class that fits its code.
[[noreturn]] void throw_error(error_details details);

}  // namespace skiff
