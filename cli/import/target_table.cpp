// One prepared INSERT, run once a row.
#include "import/target_table.hpp"

#include "value_guess.hpp"

#include <skiff/mapping/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace skiff_cli {

std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
    std::vector<std::string> distinct;
    for (const auto& name : names) {
        std::string candidate = name;
        const auto is_taken = [&](const std::string& other) {
            return equal_ignoring_case(candidate, other);
        };
        for (int copy = 2; std::ranges::any_of(distinct, is_taken); ++copy) {
            candidate = fmt::format("{}_{}", name, copy);
        }
        distinct.push_back(std::move(candidate));
    }
    return distinct;
}

std::vector<target_column> columns_of_table(skiff::connection& db, std::string_view table) {
    std::vector<target_column> columns;
    // hidden: 1 is a column of a virtual table that is not shown, 2 and 3 are generated columns.
    for (const auto& [name, type] : db.rows<std::string_view, std::string_view>(
             "select name, type from pragma_table_xinfo(?) where hidden = 0", table)) {
        columns.push_back({std::string(name), declared_type(type)});
    }
    return columns;
}

target_table::target_table(skiff::connection& db,
                           std::string name,
                           std::vector<target_column> columns,
                           std::int64_t batch_rows)
    : db_(db), name_(std::move(name)), columns_(std::move(columns)), batch_rows_(batch_rows) {}

std::string target_table::creation_sql() const {
    std::string list;
    for (const auto& [name, type] : columns_) {
        list += fmt::format("{}{}{}{}", list.empty() ? "" : ", ", quoted_identifier(name),
                            type == column_type::any ? "" : " ", name_of(type));
    }
    return fmt::format("CREATE TABLE {}({})", quoted_identifier(name_), list);
}

skiff::transaction& target_table::begun_transaction() {
    return transaction_ ? *transaction_ : transaction_.emplace(db_.begin());
}

void target_table::create() {
    begun_transaction().exec(creation_sql());
}

void target_table::add_column(target_column column) {
    insert_.reset();
    begun_transaction().exec(fmt::format("ALTER TABLE {} ADD COLUMN {} {}",
                                         quoted_identifier(name_), quoted_identifier(column.name),
                                         name_of(column.type)));
    columns_.push_back(std::move(column));
}

skiff::statement& target_table::prepared_insert() {
    if (insert_) return *insert_;
    std::string names;
    std::string marks;
    for (const auto& column : columns_) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", quoted_identifier(column.name));
        marks += marks.empty() ? "?" : ", ?";
    }
    return insert_.emplace(db_.prepare(
        fmt::format("INSERT INTO {}({}) VALUES ({})", quoted_identifier(name_), names, marks)));
}

void target_table::insert(const skiff::argument_list& row) {
    begun_transaction();
    prepared_insert().exec(row);
    ++rows_pending_;
}

void target_table::commit() {
    if (!transaction_) return;
    transaction_->commit();
    transaction_.reset();
    rows_committed_ += std::exchange(rows_pending_, 0);
}

}  // namespace skiff_cli
