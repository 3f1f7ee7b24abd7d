// Compiles only when the declarations in detail/sqlite_abi.hpp and the numbers in the public
// headers agree with sqlite3.h.
#include <skiff/connection.hpp>
#include <skiff/detail/sqlite_abi.hpp>
#include <skiff/error.hpp>
#include <skiff/value.hpp>

#include <sqlite3.h>

namespace skiff::detail {

static_assert(sqlite_ok == SQLITE_OK);
static_assert(sqlite_row == SQLITE_ROW);
static_assert(sqlite_done == SQLITE_DONE);

static_assert(static_cast<int>(storage_class::integer) == SQLITE_INTEGER);
static_assert(static_cast<int>(storage_class::real) == SQLITE_FLOAT);
static_assert(static_cast<int>(storage_class::text) == SQLITE_TEXT);
static_assert(static_cast<int>(storage_class::blob) == SQLITE_BLOB);
static_assert(static_cast<int>(storage_class::null) == SQLITE_NULL);

static_assert(static_cast<int>(errc::busy) == SQLITE_BUSY);
static_assert(static_cast<int>(errc::io) == SQLITE_IOERR);
static_assert(static_cast<int>(errc::constraint) == SQLITE_CONSTRAINT);
static_assert(static_cast<int>(errc::not_a_database) == SQLITE_NOTADB);

static_assert(static_cast<int>(limit::length) == SQLITE_LIMIT_LENGTH);
static_assert(static_cast<int>(limit::variable_number) == SQLITE_LIMIT_VARIABLE_NUMBER);
static_assert(static_cast<int>(limit::worker_threads) == SQLITE_LIMIT_WORKER_THREADS);

}  // namespace skiff::detail
