// A prepared statement the program holds itself: for loops that run one statement very often. Most
// programs need none, since connections keep the statements they run.
#pragma once

#include <skiff/detail/fetch.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff {

/// A prepared statement. Move-only; a moved-from or finalized statement throws errc::closed. After
/// its connection closed, so does every call. One thread at a time, together with its connection.
class statement {
  public:
    statement(statement&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    statement& operator=(statement&& other) noexcept {
        if (this != &other) {
            finalize();
            held_ = std::exchange(other.held_, nullptr);
        }
        return *this;
    }
    ~statement() { finalize(); }

    /// As the calls of connection, without the SQL.
    template <class... Args>
    exec_result exec(const Args&... arguments) {
        detail::execution run(start());
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::run_to_end(run);
    }
    template <class T, class... Args>
    [[nodiscard]] T one(const Args&... arguments) {
        detail::execution run(start());
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_one<T>(run);
    }
    template <class T, class... Args>
    [[nodiscard]] std::optional<T> maybe(const Args&... arguments) {
        detail::execution run(start());
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_maybe<T>(run);
    }
    template <class T, class... Args>
    [[nodiscard]] std::vector<T> all(const Args&... arguments) {
        detail::execution run(start());
        detail::bind_all(run.run(), lifetime::call, arguments...);
        return detail::fetch_all<T>(run);
    }
    template <class... Args>
    [[nodiscard]] row_range query(const Args&... arguments) {
        detail::execution run(start());
        if (!run.run().read_only) detail::check_writing_loop(run.run());
        detail::bind_all(run.run(), lifetime::copied, arguments...);
        return row_range(run.detach());
    }
    template <class... Ts, class... Args>
    [[nodiscard]] typed_rows<detail::row_type<Ts...>> rows(const Args&... arguments) {
        detail::execution run(start());
        if (!run.run().read_only) detail::check_writing_loop(run.run());
        detail::bind_all(run.run(), lifetime::copied, arguments...);
        return typed_rows<detail::row_type<Ts...>>(run.detach());
    }

    [[nodiscard]] std::string_view sql() const;
    [[nodiscard]] int column_count() const;
    [[nodiscard]] std::string_view column_name(int index) const;
    [[nodiscard]] int parameter_count() const;
    /// Name with its prefix, empty for a parameter without one. `index` counts from 1.
    [[nodiscard]] std::string_view parameter_name(int index) const;
    /// The statement cannot change the database (it may still change settings).
    [[nodiscard]] bool read_only() const;

    /// Gives the statement back; later calls throw errc::closed. A query that still runs is ended
    /// when its range is destroyed. Allowed any number of times.
    void finalize() noexcept;
    /// The sqlite3_stmt, or null. It stays Skiff's: do not finalize it.
    [[nodiscard]] sqlite3_stmt* native_handle() const noexcept {
        return held_ != nullptr ? held_->statement : nullptr;
    }

  private:
    friend class connection;
    explicit statement(detail::prepared* held) noexcept : held_(held) {}
    detail::prepared& start();
    [[nodiscard]] detail::prepared& require() const;

    detail::prepared* held_;
};

}  // namespace skiff
