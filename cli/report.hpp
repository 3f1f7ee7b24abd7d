// Errors as people read them, on stderr: one clear line, for SQL the line of the fault with a caret
// below it, and what to do.
#pragma once

#include "exit_codes.hpp"

#include <skiff/error.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace skiff_cli {

/// The exit code that stands for an error.
[[nodiscard]] exit_code exit_code_of(const skiff::error& failure) noexcept;

/// Where the SQL that failed stands: the script's name and the line it begins in. Line 0: not in a
/// script.
struct script_place {
    std::string_view name;
    int line = 0;
};

/// Prints the error and returns its exit code.
exit_code report(const skiff::error& failure, const script_place& where = {});
/// Handles whatever is thrown: every error of the program ends here.
exit_code report(const std::exception_ptr& failure, const script_place& where = {});
/// Prints "skiff: message", and below it how to go on, if that is not empty.
void report_line(std::string_view message, std::string_view hint = {});
/// Prints a line that is no error.
void report_note(std::string_view text);

/// The line of `sql` that holds byte `offset`, clipped to `columns`, and the column of the fault
/// in it as people see it.
struct fault_excerpt {
    std::string line;
    int caret = 0;        ///< columns before the caret
    int line_number = 1;  ///< in `sql`, from 1
};
[[nodiscard]] fault_excerpt excerpt(std::string_view sql, std::size_t offset, int columns);

}  // namespace skiff_cli
