// The calls that run SQL, shared by everything that can: connection, transaction and snapshot.
#pragma once

#include <skiff/arguments.hpp>
#include <skiff/detail/fetch.hpp>
#include <skiff/rows.hpp>

#include <cstdint>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff {

/// SQL in, values out. `sql` holds exactly one statement; it is prepared once and kept in the
/// connection's statement cache. Arguments are bound by position, or by named(). Views and spans
/// given as arguments are not copied where the call runs to its end before it returns.
///
/// Errors: `error` and its subclasses as error.hpp lists them; the message shows the SQL and where.
template <class Derived>
class queries {
  public:
    /// Runs a statement to its end; rows that it returns are ignored.
    template <class... Args>
    exec_result exec(std::string_view sql, const Args&... arguments) {
        detail::execution run(start(sql));
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::run_to_end(run);
    }

    /// The only row, as T. No row throws `no_row`; a second row throws errc::many_rows. When one(),
    /// maybe() or all() throws, what the statement wrote outside of a transaction is not kept.
    template <class T, class... Args>
    [[nodiscard]] T one(std::string_view sql, const Args&... arguments) {
        detail::execution run(start(sql));
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_one<T>(run);
    }

    /// The only row, or nothing. A NULL is not "nothing": ask for maybe<std::optional<T>>.
    template <class T, class... Args>
    [[nodiscard]] std::optional<T> maybe(std::string_view sql, const Args&... arguments) {
        detail::execution run(start(sql));
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_maybe<T>(run);
    }

    /// All rows.
    template <class T, class... Args>
    [[nodiscard]] std::vector<T> all(std::string_view sql, const Args&... arguments) {
        detail::execution run(start(sql));
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_all<T>(run);
    }

    /// Rows one by one, untyped. Arguments are copied. Must not outlive the connection, and for
    /// that reason cannot be called on a temporary. Rows of a statement that writes (insert …
    /// returning) can be looped over inside a transaction only (errc::misuse): left early, the loop
    /// could not say that its commit failed.
    template <class... Args>
    [[nodiscard]] row_range query(std::string_view sql, const Args&... arguments) & {
        detail::execution run(start(sql));
        if (!run.run().read_only) detail::check_writing_loop(run.run());
        detail::bind_all(run.run(), lifetime::copied, arguments...);
        return row_range(run.detach());
    }

    /// Rows one by one as tuples of Ts, or as T itself when one type is given (a struct, a column).
    ///
    ///     for (auto [id, name] : db.rows<int, std::string_view>("select id, name from user"))
    template <class... Ts, class... Args>
    [[nodiscard]] typed_rows<detail::row_type<Ts...>> rows(std::string_view sql,
                                                           const Args&... arguments) & {
        detail::execution run(start(sql));
        if (!run.run().read_only) detail::check_writing_loop(run.run());
        detail::bind_all(run.run(), lifetime::copied, arguments...);
        return typed_rows<detail::row_type<Ts...>>(run.detach());
    }

  protected:
    queries() = default;
    ~queries() = default;
    queries(const queries&) = default;
    queries& operator=(const queries&) = default;

    /// Runs the statement once for each element of `range` (values, tuples or plain structs) and
    /// returns the rows changed. The caller makes it atomic.
    template <std::ranges::input_range Range>
    std::int64_t run_many(std::string_view sql, Range&& range) {
        detail::prepared& held = start(sql);
        detail::execution run(held);
        std::int64_t changes = 0;
        for (auto&& given : range) {
            const detail::element_of<Range>& element = given;
            detail::bind_element(held, element);
            changes += detail::run_to_end(run).changes;
            detail::restart(held);
        }
        return changes;
    }

    /// Runs `take(execution&)` on the statement: for the library's own use.
    template <class Take>
    auto run_statement(std::string_view sql, Take&& take) {
        detail::execution run(start(sql));
        return take(run);
    }

  private:
    friend class database;
    detail::prepared& start(std::string_view sql) {
        return static_cast<Derived*>(this)->start_statement(sql);
    }
};

}  // namespace skiff
