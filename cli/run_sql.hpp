// One SQL statement from text to printed rows, with parameters from the command line: what exec and
// the shell have in common.
#pragma once

#include "output.hpp"
#include "signals.hpp"

#include <skiff/connection.hpp>
#include <skiff/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// A parameter of the command line: by name (with or without its prefix) or by number.
struct sql_parameter {
    std::string name;
    skiff::value content;
    bool used = false;
};

/// Reads "name=value" (value guessed, see guessed_value) or "name:=text". Throws usage_error.
[[nodiscard]] sql_parameter parameter_from(std::string_view argument);
/// Reads "name=text". Throws usage_error.
[[nodiscard]] sql_parameter text_parameter_from(std::string_view argument);

/// The parameters of the command line.
struct parameter_set {
    std::vector<sql_parameter> list;
    /// Each must belong to the one statement that runs: one that does not is an error before the
    /// statement does anything.
    bool for_one_statement = false;
};

/// What a statement did.
struct run_result {
    int columns = 0;
    std::int64_t rows = 0;
    std::int64_t changes = 0;
    bool changes_rows = false;  ///< it was an INSERT, UPDATE, DELETE or REPLACE
};

/// Runs exactly one statement and prints its rows, if it has columns. Marks the parameters it
/// used; one that is missing throws skiff::error. Stops with interrupted_by_user.
run_result run_sql(skiff::connection& db,
                   std::string_view sql,
                   parameter_set& parameters,
                   row_writer& writer,
                   const interrupt_scope& stop);

/// "1 row changed", "1,234 rows changed".
[[nodiscard]] std::string changes_text(std::int64_t changes);

}  // namespace skiff_cli
