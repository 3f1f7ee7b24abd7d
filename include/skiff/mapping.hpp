// How a C++ type becomes a SQLite value and back. Everything that carries values (columns,
// parameters, arguments and results of functions, arrays, structs) goes through one trait,
// `mapping<T>`, so a type that works in one place works in all of them.
//
// A type of your own needs one specialisation, with either half left out if it is not needed:
//
//     template <>
//     struct skiff::mapping<money> {
//         static money read(skiff::value_ref v) { return money{v.read<std::int64_t>()}; }
//         static void write(skiff::value_sink s, const money& m) { s.write(m.cents); }
//     };
#pragma once

#include <skiff/detail/sqlite_abi.hpp>
#include <skiff/error.hpp>
#include <skiff/value.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace skiff {

/// The trait. The primary template maps nothing; Skiff's own specialisations are in mapping/*.hpp.
template <class T>
struct mapping {};

/// T can be read from a column or a function argument.
template <class T>
concept readable = requires(value_ref source) {
    { mapping<T>::read(source) } -> std::convertible_to<T>;
};

/// T can be bound to a parameter or returned from a function.
template <class T>
concept writable = requires(value_sink sink, const T& source) { mapping<T>::write(sink, source); };

/// T reads as a view into SQLite's memory, valid only until the next row.
/// Such a type is refused where the result outlives the row.
template <class T>
inline constexpr bool reads_as_view = false;

namespace detail {

/// Where a value came from, for error messages: a column, or an argument of a function.
struct value_origin {
    sqlite3_stmt* statement = nullptr;
    const char* function_name = nullptr;
    int index = 0;
};

[[noreturn]] void throw_wrong_type(sqlite3_value* found,
                                   value_origin origin,
                                   std::string_view wanted);
[[noreturn]] void throw_out_of_range(sqlite3_value* found,
                                     value_origin origin,
                                     std::string_view wanted);
/// SQLite had no memory to hand a text or blob out.
[[noreturn]] void throw_no_memory(value_origin origin);
[[noreturn]] void throw_bad_value(sqlite3_value* found,
                                  value_origin origin,
                                  std::string_view problem);

template <class T>
constexpr std::string_view name_from_compiler() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("T = ") + 4);
    return name.substr(0, name.find_first_of(";]"));
}

/// A readable name of T for error messages. A constant, so that it costs nothing where no error is.
template <class T>
inline constexpr std::string_view type_name = name_from_compiler<T>();

}  // namespace detail

/// A value inside SQLite, borrowed: a column of the current row or an argument of a function. Valid
/// until the statement moves to its next row or the function returns. One thread at a time.
class value_ref {
  public:
    value_ref(sqlite3_value* handle, detail::value_origin origin) noexcept
        : value_(handle), origin_(origin) {}

    [[nodiscard]] storage_class type() const noexcept {
        return static_cast<storage_class>(sqlite3_value_type(value_));
    }
    [[nodiscard]] bool is_null() const noexcept { return type() == storage_class::null; }

    /// Reads as T; throws `conversion` naming the column when the value does not fit.
    template <class T>
    [[nodiscard]] T read() const {
        static_assert(readable<T>,
                      "skiff: this type cannot be read from a column; specialise "
                      "skiff::mapping<T> with a static read(value_ref)");
        return mapping<T>::read(*this);
    }

    // The strict primitives: they throw `conversion` unless the storage class is exactly the one
    // named. `wanted` is the C++ type to name in the error.
    [[nodiscard, gnu::always_inline]] std::int64_t integer(
        std::string_view wanted = "std::int64_t") const {
        if (sqlite3_value_type(value_) != static_cast<int>(storage_class::integer)) [[unlikely]] {
            detail::throw_wrong_type(value_, origin_, wanted);
        }
        return sqlite3_value_int64(value_);
    }
    /// REAL, or an INTEGER that a double holds exactly.
    [[nodiscard]] double real(std::string_view wanted = "double") const;
    /// TEXT, as UTF-8, length exact (embedded NUL is kept).
    [[nodiscard]] std::string_view text(std::string_view wanted = "std::string_view") const {
        if (sqlite3_value_type(value_) != static_cast<int>(storage_class::text)) [[unlikely]] {
            detail::throw_wrong_type(value_, origin_, wanted);
        }
        // sqlite.org/c3ref/column_blob.html: text first, then bytes, so both speak of UTF-8.
        const auto* start = reinterpret_cast<const char*>(sqlite3_value_text(value_));
        if (start == nullptr) [[unlikely]]
            detail::throw_no_memory(origin_);
        return {start, static_cast<std::size_t>(sqlite3_value_bytes(value_))};
    }
    [[nodiscard]] blob_view bytes(std::string_view wanted = "skiff::blob_view") const {
        if (sqlite3_value_type(value_) != static_cast<int>(storage_class::blob)) [[unlikely]] {
            detail::throw_wrong_type(value_, origin_, wanted);
        }
        const auto* start = static_cast<const std::byte*>(sqlite3_value_blob(value_));
        // An empty blob has no address either, but it stays a blob.
        if (start == nullptr && type() != storage_class::blob) [[unlikely]]
            detail::throw_no_memory(origin_);
        return {start, static_cast<std::size_t>(sqlite3_value_bytes(value_))};
    }

    /// For a mapping of your own: the value has the right class but not a right content.
    [[noreturn]] void fail_range(std::string_view wanted) const {
        detail::throw_out_of_range(value_, origin_, wanted);
    }
    [[noreturn]] void fail(std::string_view problem) const {
        detail::throw_bad_value(value_, origin_, problem);
    }

    [[nodiscard]] sqlite3_value* native_handle() const noexcept { return value_; }

  private:
    sqlite3_value* value_;
    detail::value_origin origin_;
};

namespace detail {
struct value_keeper;
}

/// How long the bytes that are bound stay where they are.
enum class lifetime {
    call,   ///< the caller keeps them until the statement is reset: not copied
    copied  ///< SQLite must copy them now
};

/// A place that takes one value: a parameter of a statement, the result of a function, or memory
/// that keeps it for later.
/// Valid within the call it was made for. One thread at a time.
class value_sink {
  public:
    /// A parameter: `index` counts from 1.
    value_sink(sqlite3_stmt* statement, int index, lifetime borrowed) noexcept
        : target_(statement), index_(index), borrowed_(borrowed) {}
    /// The result of a function.
    explicit value_sink(sqlite3_context* context) noexcept
        : target_(context), index_(0), borrowed_(lifetime::copied) {}
    /// Memory, for the library's own use.
    explicit value_sink(detail::value_keeper& keeper) noexcept
        : target_(&keeper), index_(keeps), borrowed_(lifetime::copied) {}

    template <class T>
    void write(const T& source) const {
        static_assert(writable<T>,
                      "skiff: this type cannot be bound; specialise skiff::mapping<T> with a "
                      "static write(value_sink, const T&)");
        mapping<T>::write(*this, source);
    }

    void integer(std::int64_t number) const {
        if (index_ == 0) return sqlite3_result_int64(context(), number);
        if (index_ == keeps) [[unlikely]]
            return keep_integer(number);
        check(sqlite3_bind_int64(statement(), index_, number));
    }
    /// NaN has no place in SQLite (it would silently become NULL), so it is refused.
    void real(double number) const;
    void null() const {
        if (index_ == 0) return sqlite3_result_null(context());
        if (index_ == keeps) [[unlikely]]
            return keep_null();
        check(sqlite3_bind_null(statement(), index_));
    }
    /// UTF-8; refused as `conversion` when it is not valid UTF-8.
    void text(std::string_view utf8) const;
    /// As text() without the check, for bytes known to be UTF-8 or meant to be stored as they are.
    void unchecked_text(std::string_view utf8) const;
    /// As unchecked_text(), copied now: for text made on the caller's stack.
    void copied_text(std::string_view utf8) const;
    void bytes(blob_view content) const;
    /// `count` zero bytes, to be filled by a blob_stream.
    void zero_blob(std::uint64_t count) const;
    /// A typed pointer for a table-valued function (sqlite.org/bindptr.html).
    void pointer(void* object, const char* type_name, void (*destroy)(void*)) const;

    /// For a mapping of your own: the value can't be stored.
    [[noreturn]] void fail(std::string_view problem, const char* advice = "") const;

    [[nodiscard]] lifetime borrowed() const noexcept { return borrowed_; }

  private:
    static constexpr int keeps = -1;  ///< in place of an index: the target keeps the value

    [[nodiscard]] sqlite3_stmt* statement() const noexcept {
        return static_cast<sqlite3_stmt*>(target_);
    }
    [[nodiscard]] sqlite3_context* context() const noexcept {
        return static_cast<sqlite3_context*>(target_);
    }
    [[nodiscard]] detail::value_keeper& keeper() const noexcept {
        return *static_cast<detail::value_keeper*>(target_);
    }
    void keep_integer(std::int64_t number) const;
    void keep_real(double number) const;
    void keep_null() const;
    void keep_text(std::string_view utf8) const;
    void keep_bytes(blob_view content) const;
    void keep_zero_blob(std::uint64_t count) const;
    void keep_pointer(void* object, const char* type_name, void (*destroy)(void*)) const;
    void check(int code) const {
        if (code != detail::sqlite_ok) [[unlikely]]
            throw_bind_error(code);
    }
    [[noreturn]] void throw_bind_error(int code) const;

    void* target_;
    int index_;
    lifetime borrowed_;
};

}  // namespace skiff
