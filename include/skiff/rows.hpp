// Ranges over the rows of a running query. Both are input ranges for one pass; leaving the loop
// early, by any way, ends the query.
#pragma once

#include <skiff/detail/prepared.hpp>
#include <skiff/row.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace skiff {

namespace detail {
void refresh_columns(prepared& run);
}

/// A running query. Move-only; a moved-from cursor is inert. Ends the query when destroyed.
/// One thread at a time.
class cursor {
  public:
    cursor(cursor&& other) noexcept
        : run_(std::exchange(other.run_, nullptr)),
          stride_(other.stride_),
          has_row_(std::exchange(other.has_row_, false)) {
        describe();
    }
    cursor& operator=(cursor&& other) noexcept {
        if (this != &other) {
            close();
            run_ = std::exchange(other.run_, nullptr);
            stride_ = other.stride_;
            has_row_ = std::exchange(other.has_row_, false);
            describe();
        }
        return *this;
    }
    ~cursor() { close(); }

    /// Ends the query now; allowed at any time, any number of times.
    void close() noexcept {
        has_row_ = false;
        if (run_ != nullptr) detail::finish(*std::exchange(run_, nullptr));
    }

  protected:
    explicit cursor(detail::prepared* run) noexcept : run_(run) { describe(); }

    void first() {
        advance();
        if (has_row_) describe_again();
        if (has_row_ && run_->column_count > 1) {
            stride_ = detail::column_stride(run_->statement, run_->column_count);
        }
    }
    [[gnu::always_inline]] void advance() {
        has_row_ = false;
        if (run_ == nullptr) return;
#ifdef NDEBUG
        const int code = sqlite3_step(run_->statement);
#else
        const int code = detail::checked_step(*run_);
#endif
        if (code == detail::sqlite_row) [[likely]] {
            has_row_ = true;
        } else if (code == detail::sqlite_done) {
            close();
        } else {
            detail::throw_step_error(*run_, code);
        }
    }
    [[nodiscard]] bool has_row() const noexcept { return has_row_; }
    [[nodiscard]] const row& current() const noexcept { return row_; }
    [[nodiscard]] detail::row_values values() const noexcept { return {run_->statement, stride_}; }
    [[nodiscard]] detail::prepared* run() const noexcept { return run_; }

  private:
    void describe() noexcept {
        row_.statement_ = run_ != nullptr ? run_->statement : nullptr;
        row_.column_count_ = run_ != nullptr ? run_->column_count : 0;
    }
    /// The first step prepares the statement anew when the schema changed.
    void describe_again() noexcept {
        run_->column_count = sqlite3_column_count(run_->statement);
        row_.column_count_ = run_->column_count;
    }

    detail::prepared* run_;
    std::ptrdiff_t stride_ = 0;
    bool has_row_ = false;
    row row_;
};

/// Rows as `const row&`: `for (const auto& r : db.query("select …")) r.get<int>(0);`
class [[nodiscard]] row_range : public cursor {
  public:
    explicit row_range(detail::prepared* run) noexcept : cursor(run) {}

    class iterator {
      public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = const row*;
        using difference_type = std::ptrdiff_t;

        explicit iterator(row_range& range) noexcept : range_(&range) {}
        const row& operator*() const noexcept { return range_->current(); }
        const row* operator->() const noexcept { return &range_->current(); }
        [[gnu::always_inline]] iterator& operator++() {
            range_->advance();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const noexcept { return !range_->has_row(); }

      private:
        row_range* range_;
    };

    /// Starts the query. Call once.
    iterator begin() {
        first();
        return iterator(*this);
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
};

/// Rows as values of T (a column type, a tuple, a pair or a plain struct). Views inside T are valid
/// until the next row.
template <class T>
class [[nodiscard]] typed_rows : public cursor {
  public:
    explicit typed_rows(detail::prepared* run) : cursor(run) {
        if (run->column_count != detail::column_count<T>) {
            detail::refresh_columns(*run);
            check_columns();
        }
    }

    class iterator {
      public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        explicit iterator(typed_rows& range) noexcept : range_(&range) {}
        // Inlined by force, like advance(): the loop must cost what a hand-written one costs, and
        // the iterator must stay in registers for that (tests/callgrind).
        [[gnu::always_inline]] T operator*() const { return detail::assemble<T>(range_->values()); }
        [[gnu::always_inline]] iterator& operator++() {
            range_->advance();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const noexcept { return !range_->has_row(); }

      private:
        typed_rows* range_;
    };

    /// Starts the query. Call once.
    iterator begin() {
        first();
        if (has_row()) check_columns();
        return iterator(*this);
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  private:
    void check_columns() const {
        if (run()->column_count == detail::column_count<T>) return;
        detail::throw_column_count(run()->statement, run()->column_count, detail::column_count<T>,
                                   detail::type_name<T>);
    }
};

namespace detail {

/// What rows<Ts…> yields: T itself for one type, else a tuple.
template <class... Ts>
struct row_of {
    using type = std::tuple<Ts...>;
};
template <class T>
struct row_of<T> {
    using type = T;
};
template <class... Ts>
using row_type = typename row_of<Ts...>::type;

}  // namespace detail
}  // namespace skiff
