// The comparison: SQLite's C API as its documentation teaches it, one connection a thread, every
// statement prepared once. The only part of the program that includes sqlite3.h, behind this
// header.
#pragma once

#include "demo/contender.hpp"

#include <memory>

namespace skiff_cli {

/// Opens its connections, one to read and `writers` to write, and makes the log table. WAL,
/// synchronous=FULL, busy timeout 60 s, all else SQLite's defaults. Throws std::runtime_error.
[[nodiscard]] std::unique_ptr<contender> make_plain_c(const contender_files& files,
                                                      unsigned writers);

}  // namespace skiff_cli
