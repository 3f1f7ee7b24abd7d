// The table that rows are imported into: made or found, filled in transactions of a fixed number of
// rows.
#pragma once

#include "import/column_types.hpp"

#include <skiff/connection.hpp>
#include <skiff/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// A column of the table.
struct target_column {
    std::string name;
    column_type type = column_type::text;
};

/// The names as SQL columns: each different, whatever case they are in ("name", "name_2").
[[nodiscard]] std::vector<std::string> distinct_names(const std::vector<std::string>& names);

/// The columns that rows can be inserted into; empty when there is no such table.
[[nodiscard]] std::vector<target_column> columns_of_table(skiff::connection& db,
                                                          std::string_view table);

/// Rows go in by insert(). What was not committed is rolled back when it is destroyed.
/// One thread at a time, together with the connection.
class target_table {
  public:
    /// `columns` are those that get values, in the order of insert()'s list.
    target_table(skiff::connection& db,
                 std::string name,
                 std::vector<target_column> columns,
                 std::int64_t batch_rows);

    /// CREATE TABLE, in the transaction of the first batch.
    void create();
    /// ALTER TABLE … ADD COLUMN; the column gets values from now on.
    void add_column(target_column column);
    /// Inserts a row, one value for each column. Throws what SQLite reports; the row is then not
    /// in, those before it are unless the transaction is gone.
    void insert(const skiff::argument_list& row);
    /// Commits when the batch is full; call after each insert.
    void commit_full_batch() {
        if (rows_pending_ >= batch_rows_) commit();
    }
    /// Commits what was not committed yet.
    void commit();

    [[nodiscard]] const std::vector<target_column>& columns() const noexcept { return columns_; }
    [[nodiscard]] std::int64_t rows_committed() const noexcept { return rows_committed_; }
    [[nodiscard]] std::int64_t rows_pending() const noexcept { return rows_pending_; }
    /// "CREATE TABLE …", as create() runs it.
    [[nodiscard]] std::string creation_sql() const;

  private:
    skiff::transaction& begun_transaction();
    skiff::statement& prepared_insert();

    skiff::connection& db_;
    std::string name_;
    std::vector<target_column> columns_;
    std::int64_t batch_rows_;
    std::int64_t rows_committed_ = 0;
    std::int64_t rows_pending_ = 0;
    std::optional<skiff::transaction> transaction_;
    std::optional<skiff::statement> insert_;
};

}  // namespace skiff_cli
