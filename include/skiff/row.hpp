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

/// Types as a value: lighter on the compiler than a tuple of them.
template <class... Ts>
struct type_list {};

struct list_field_types {
    template <class... Fields>
    type_list<Fields...> operator()(Fields&...) const;
};

/// The types of a row type's columns, as a type_list.
template <class T>
struct columns_of {
    static_assert(readable<T>,
                  "skiff: this type cannot be read from a row: it is neither a mapped type, a "
                  "tuple, nor a plain struct; specialise skiff::mapping<T>");
    using types = type_list<T>;
};
template <class... Ts>
struct columns_of<std::tuple<Ts...>> {
    using types = type_list<Ts...>;
};
template <class First, class Second>
struct columns_of<std::pair<First, Second>> {
    using types = type_list<First, Second>;
};
template <plain_struct T>
struct columns_of<T> {
    using types = decltype(with_fields(std::declval<T&>(), list_field_types{}));
};

template <class T>
using column_types = typename columns_of<T>::types;

template <class Types>
struct list_traits;
template <class... Ts>
struct list_traits<type_list<Ts...>> {
    static constexpr int count = static_cast<int>(sizeof...(Ts));
    static constexpr bool any_view = (reads_as_view<Ts> || ...);
};

template <class T>
inline constexpr int column_count = list_traits<column_types<T>>::count;

/// The row type holds a view into SQLite's memory, so it must not outlive the row.
template <class T>
inline constexpr bool borrows_row = list_traits<column_types<T>>::any_view;

/// Rows of up to so many columns are read by code inlined into the loop: an out-of-line copy builds
/// each value_ref in memory, 5 % of a row of two integers. Wide rows would only grow the program
/// and the time to compile it.
inline constexpr int inlined_columns_max = 8;

/// Reads the columns of whatever `Source` is: anything with at(int) -> value_ref.
template <class T, class Source, class... Ts, int... Index>
[[gnu::always_inline]] inline T assemble(const Source& source,
                                         type_list<Ts...>,
                                         std::integer_sequence<int, Index...>) {
    // Braces: the columns are read in order, and each value is built in its place.
    return T{mapping<Ts>::read(source.at(Index))...};
}

template <class T, class Source>
[[gnu::noinline]] T assemble_wide(const Source& source) {
    return assemble<T>(source, column_types<T>{},
                       std::make_integer_sequence<int, column_count<T>>{});
}

template <class T, class Source>
[[gnu::always_inline]] inline T assemble(const Source& source) {
    if constexpr (readable<T>) {
        return mapping<T>::read(source.at(0));
    } else if constexpr (column_count<T> > inlined_columns_max) {
        return assemble_wide<T>(source);
    } else {
        return assemble<T>(source, column_types<T>{},
                           std::make_integer_sequence<int, column_count<T>>{});
    }
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
