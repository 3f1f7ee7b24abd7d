// One row of a result, and how a whole row becomes a C++ value: a single column, a tuple, a pair,
// or a plain struct field by field.
#pragma once

#include <skiff/detail/fields.hpp>
#include <skiff/mapping.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace skiff {

namespace detail {

[[noreturn]] void throw_column_count(sqlite3_stmt* statement,
                                     int found,
                                     int wanted,
                                     std::string_view type);
[[noreturn]] void throw_no_column(sqlite3_stmt* statement, std::string_view name);
[[noreturn]] void throw_column_index(sqlite3_stmt* statement, int index, int count);
/// Index of a column by name (ASCII case ignored, as SQL does), or throws.
int column_index(sqlite3_stmt* statement, std::string_view name);
std::string_view column_name(sqlite3_stmt* statement, int index);

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<std::tuple<Ts...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

/// A plain struct that is mapped field by field.
template <class T>
concept plain_struct =
    std::is_class_v<T> && std::is_aggregate_v<T> && !is_tuple<T> && !readable<T> && !writable<T>;

/// The types of a row type's columns, as a tuple.
template <class T>
struct columns_of {
    static_assert(readable<T>,
                  "skiff: this type cannot be read from a row: it is neither a mapped type, a "
                  "tuple, nor a plain struct; specialise skiff::mapping<T>");
    using types = std::tuple<T>;
};
template <class... Ts>
struct columns_of<std::tuple<Ts...>> {
    using types = std::tuple<Ts...>;
};
template <class First, class Second>
struct columns_of<std::pair<First, Second>> {
    using types = std::tuple<First, Second>;
};
template <class Tuple>
struct without_references;
template <class... Fields>
struct without_references<std::tuple<Fields&...>> {
    using types = std::tuple<Fields...>;
};
template <plain_struct T>
struct columns_of<T> {
    using types = typename without_references<decltype(tie_fields(std::declval<T&>()))>::types;
};

template <class T>
using column_types = typename columns_of<T>::types;
template <class T>
inline constexpr int column_count = static_cast<int>(std::tuple_size_v<column_types<T>>);

template <class Types>
inline constexpr bool any_view = false;
template <class... Ts>
inline constexpr bool any_view<std::tuple<Ts...>> = (reads_as_view<Ts> || ...);

/// The row type holds a view into SQLite's memory, so it must not outlive the row.
template <class T>
inline constexpr bool borrows_row = any_view<column_types<T>>;

/// Reads column `Index` of whatever `Source` is: anything with at(int) -> value_ref.
/// Always inlined: an out-of-line copy would build each value_ref in memory, 5 % of a row's cost.
template <class T, class Source, std::size_t... Index>
[[gnu::always_inline]] inline T assemble(const Source& source, std::index_sequence<Index...>) {
    using types = column_types<T>;
    if constexpr (readable<T>) {
        return mapping<T>::read(source.at(0));
    } else {
        // Braces: the columns are read in order, and each value is built in its place.
        return T{mapping<std::tuple_element_t<Index, types>>::read(
            source.at(static_cast<int>(Index)))...};
    }
}

template <class T, class Source>
[[gnu::always_inline]] inline T assemble(const Source& source) {
    return assemble<T>(source,
                       std::make_index_sequence<static_cast<std::size_t>(column_count<T>)>{});
}

}  // namespace detail

/// The current row of a running statement. It cannot be copied or kept: it is valid until the
/// statement moves to the next row. One thread at a time.
class row {
  public:
    row(const row&) = delete;
    row& operator=(const row&) = delete;

    /// Number of columns.
    [[nodiscard]] int size() const noexcept { return column_count_; }
    /// Name of a column; valid as long as the statement.
    [[nodiscard]] std::string_view name(int index) const {
        check(index);
        return detail::column_name(statement_, index);
    }

    /// Column by index (from 0), read strictly as T; throws `conversion`, or `error` with
    /// errc::out_of_range for an index the row does not have.
    template <class T>
    [[nodiscard]] T get(int index) const {
        check(index);
        return at(index).read<T>();
    }
    /// Column by name. The name is looked up each time: use indexes or rows<…>() in hot loops.
    template <class T>
    [[nodiscard]] T get(std::string_view column) const {
        return at(detail::column_index(statement_, column)).read<T>();
    }
    /// The whole row as a tuple, pair or plain struct, or its only column.
    template <class T>
    [[nodiscard]] T as() const {
        if (column_count_ != detail::column_count<T>) {
            detail::throw_column_count(statement_, column_count_, detail::column_count<T>,
                                       detail::type_name<T>);
        }
        return detail::assemble<T>(*this);
    }

    /// Column by index, unread; the index is not checked.
    [[nodiscard]] value_ref at(int index) const noexcept {
        return {sqlite3_column_value(statement_, index), {statement_, nullptr, index}};
    }
    [[nodiscard]] value_ref operator[](int index) const {
        check(index);
        return at(index);
    }

  private:
    friend class cursor;
    row() = default;
    void check(int index) const {
        if (index < 0 || index >= column_count_) [[unlikely]] {
            detail::throw_column_index(statement_, index, column_count_);
        }
    }

    sqlite3_stmt* statement_ = nullptr;
    int column_count_ = 0;
};

}  // namespace skiff
