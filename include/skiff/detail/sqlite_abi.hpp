// The few SQLite calls that inline code needs, declared exactly as sqlite3.h declares them, so that
// a row loop compiles to the same calls that a hand-written C loop makes and users never see
// sqlite3.h. src/core/abi_check.cpp includes both and fails to compile when they disagree.
#pragma once

#include <skiff/fwd.hpp>

extern "C" {
int sqlite3_step(sqlite3_stmt*);
int sqlite3_column_count(sqlite3_stmt*);
sqlite3_value* sqlite3_column_value(sqlite3_stmt*, int);
int sqlite3_value_type(sqlite3_value*);
long long int sqlite3_value_int64(sqlite3_value*);
double sqlite3_value_double(sqlite3_value*);
const unsigned char* sqlite3_value_text(sqlite3_value*);
const void* sqlite3_value_blob(sqlite3_value*);
int sqlite3_value_bytes(sqlite3_value*);
int sqlite3_bind_int64(sqlite3_stmt*, int, long long int);
int sqlite3_bind_double(sqlite3_stmt*, int, double);
int sqlite3_bind_null(sqlite3_stmt*, int);
void sqlite3_result_int64(sqlite3_context*, long long int);
void sqlite3_result_double(sqlite3_context*, double);
void sqlite3_result_null(sqlite3_context*);
}

namespace skiff::detail {

inline constexpr int sqlite_ok = 0;
inline constexpr int sqlite_row = 100;
inline constexpr int sqlite_done = 101;

}  // namespace skiff::detail
