// What kind of values a column holds: guessed from the first records, or read from the table that
// is there; and whether a cell fits.
#pragma once

#include "import/record.hpp"

#include <skiff/value.hpp>

#include <optional>
#include <string_view>

namespace skiff_cli {

enum class column_type {
    integer,
    real,
    text,
    numeric,  ///< numbers where they are written as such, else text
    any       ///< as it comes
};

/// "INTEGER", "REAL", "TEXT", "NUMERIC", "".
[[nodiscard]] std::string_view name_of(column_type type) noexcept;
/// The type that a declaration in a table stands for (sqlite.org/datatype3.html, section 3.1).
[[nodiscard]] column_type declared_type(std::string_view declaration);

/// Guesses a column's type from its cells: INTEGER when all are integers, REAL when all are numbers
/// and one has a fraction, else TEXT. NULLs say nothing.
class type_guess {
  public:
    void add(const cell& seen);
    [[nodiscard]] column_type result() const noexcept;
    /// A cell with text or a number came by.
    [[nodiscard]] bool has_values() const noexcept { return integers_ || reals_ || others_; }

  private:
    bool integers_ = false;
    bool reals_ = false;
    bool others_ = false;
};

/// Writes the cell into `target` as a column of that type stores it, reusing target's memory. False
/// when it does not fit.
[[nodiscard]] bool convert(const cell& source, column_type type, skiff::value& target);

/// The cell as an error message shows it: 'abc', 1.5.
[[nodiscard]] std::string shown(const cell& source);

}  // namespace skiff_cli
