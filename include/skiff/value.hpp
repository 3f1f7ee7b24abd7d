// A value of any of SQLite's five storage classes, owned: for code that does not know at compile
// time what a column holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace skiff {

/// SQLite's storage classes, with SQLite's own numbers (sqlite.org/c3ref/c_blob.html).
enum class storage_class : int { integer = 1, real = 2, text = 3, blob = 4, null = 5 };

/// "INTEGER", "REAL", "TEXT", "BLOB" or "NULL". Static storage; thread-safe.
[[nodiscard]] const char* name_of(storage_class kind) noexcept;

/// Bytes owned by the program, and bytes that belong to somebody else.
using blob = std::vector<std::byte>;
using blob_view = std::span<const std::byte>;

/// NULL, as a value that can be bound: `db.exec("update t set x = ?", skiff::null)`.
inline constexpr std::monostate null{};

/// Any value, owned. Reading a column as `value` keeps its storage class.
using value = std::variant<std::monostate, std::int64_t, double, std::string, blob>;

/// The storage class that `held` has or would have in the database.
[[nodiscard]] inline storage_class storage_class_of(const value& held) noexcept {
    constexpr storage_class by_index[] = {storage_class::null, storage_class::integer,
                                          storage_class::real, storage_class::text,
                                          storage_class::blob};
    return by_index[held.index()];
}

}  // namespace skiff
