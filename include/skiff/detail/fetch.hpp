// The four ways to take results out of a run: nothing, exactly one row, one or none, all.
#pragma once

#include <skiff/arguments.hpp>
#include <skiff/detail/prepared.hpp>
#include <skiff/row.hpp>
#include <skiff/rows.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace skiff {

/// What a statement changed.
struct exec_result {
    std::int64_t changes = 0;            ///< rows inserted, updated or deleted; 0 for other SQL
    std::int64_t last_insert_rowid = 0;  ///< of the last row inserted, 0 when none was
};

namespace detail {

/// Steps to the end, ignoring rows, and reports what changed.
exec_result run_to_end(execution& run);

template <class T>
constexpr void check_result_type() {
    static_assert(!borrows_row<T>,
                  "skiff: this result would hold a view into a row that is already gone; take "
                  "std::string or std::vector<std::byte>, or loop with rows<…>()");
}

/// Asks SQLite again how many columns the statement has: the schema may have changed since it was
/// prepared.
void refresh_columns(prepared& run);

template <class T>
void check_columns(prepared& run) {
    if (run.column_count != column_count<T>) [[unlikely]]
        refresh_columns(run);
    if (run.column_count != column_count<T>) [[unlikely]] {
        throw_column_count(run.statement, run.column_count, column_count<T>, type_name<T>);
    }
}

/// After the first step, which prepares the statement anew when the schema changed.
template <class T>
void check_stepped(prepared& run) {
    const int found = sqlite3_column_count(run.statement);
    if (found != column_count<T>) [[unlikely]] {
        run.column_count = found;
        throw_column_count(run.statement, found, column_count<T>, type_name<T>);
    }
}

/// Calls `take`; when that throws, what the statement wrote is not kept.
template <class Take>
auto take_or_abandon(execution& run, Take&& take) {
    try {
        return take();
    } catch (...) {
        if (!run.run().read_only) abandon(run.run());
        throw;
    }
}

template <class T>
std::optional<T> fetch_maybe(execution& run) {
    check_result_type<T>();
    check_columns<T>(run.run());
    return take_or_abandon(run, [&run]() -> std::optional<T> {
        if (!run.step()) return std::nullopt;
        check_stepped<T>(run.run());
        std::optional<T> found(assemble<T>(row_values(run.statement(), 0)));
        if (run.step()) [[unlikely]]
            throw_many_rows(run.run());
        return found;
    });
}

template <class T>
T fetch_one(execution& run) {
    check_result_type<T>();
    check_columns<T>(run.run());
    return take_or_abandon(run, [&run]() -> T {
        if (!run.step()) [[unlikely]]
            throw_no_row(run.run());
        check_stepped<T>(run.run());
        T found = assemble<T>(row_values(run.statement(), 0));
        if (run.step()) [[unlikely]]
            throw_many_rows(run.run());
        return found;
    });
}

template <class T>
std::vector<T> fetch_all(execution& run) {
    check_result_type<T>();
    check_columns<T>(run.run());
    return take_or_abandon(run, [&run] {
        std::vector<T> rows;
        if (!run.step()) return rows;
        check_stepped<T>(run.run());
        const auto stride = column_stride(run.statement(), column_count<T>);
        do {
            rows.push_back(assemble<T>(row_values(run.statement(), stride)));
        } while (run.step());
        return rows;
    });
}

}  // namespace detail
}  // namespace skiff
