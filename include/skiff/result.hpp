// Errors as values, for code that has no exceptions at its edges: skiff::attempt(fn) runs `fn` and
// returns what it returned, or the skiff::error it threw.
#pragma once

#include <skiff/error.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace skiff {

/// Either a value or an error. One thread at a time.
template <class T>
class [[nodiscard]] result {
  public:
    using value_type = T;

    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(skiff::error failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value; throws the error (as the class that fits it) when there is none.
    [[nodiscard]] T& value() & { return check(), std::get<0>(state_); }
    [[nodiscard]] const T& value() const& { return check(), std::get<0>(state_); }
    [[nodiscard]] T&& value() && { return check(), std::get<0>(std::move(state_)); }

    /// The value, unchecked: only after has_value() was true.
    [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&state_); }
    [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&state_); }

    template <class Other>
    [[nodiscard]] T value_or(Other&& other) const& {
        return has_value() ? **this : static_cast<T>(std::forward<Other>(other));
    }

    /// The error, unchecked: only after has_value() was false.
    [[nodiscard]] const skiff::error& error() const noexcept { return *std::get_if<1>(&state_); }

  private:
    void check() const {
        if (!has_value()) throw_error(error().details());
    }

    std::variant<T, skiff::error> state_;
};

/// A result that carries no value.
template <>
class [[nodiscard]] result<void> {
  public:
    using value_type = void;

    result() = default;
    result(skiff::error failure) : failure_(std::move(failure)) {}

    [[nodiscard]] bool has_value() const noexcept { return !failure_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    void value() const {
        if (failure_) throw_error(failure_->details());
    }
    /// The error, unchecked: only after has_value() was false.
    [[nodiscard]] const skiff::error& error() const noexcept { return *failure_; }

  private:
    std::optional<skiff::error> failure_;
};

/// Runs `work` and returns its value, or the skiff::error it threw. Other exceptions pass through.
///
///     auto n = skiff::attempt([&] { return db.one<int>("select count(*) from user"); });
///     if (!n) std::cerr << n.error().what();
template <std::invocable Work>
[[nodiscard]] auto attempt(Work&& work) -> result<std::remove_cvref_t<std::invoke_result_t<Work>>> {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
            std::invoke(std::forward<Work>(work));
            return {};
        } else {
            return std::invoke(std::forward<Work>(work));
        }
    } catch (const skiff::error& failure) {
        return failure;
    }
}

}  // namespace skiff
