// What a callable takes: its parameter types as values, or "any number".
#pragma once

#include <skiff/mapping.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace skiff {

/// The arguments of a function that takes any number of them. Valid during the call.
class function_arguments {
  public:
    function_arguments(sqlite3_value** values, int count, const char* function_name) noexcept
        : values_(values), count_(count), function_name_(function_name) {}

    [[nodiscard]] int size() const noexcept { return count_; }
    /// Argument by index from 0; the caller keeps to size().
    [[nodiscard]] value_ref operator[](int index) const noexcept {
        return {values_[index], {nullptr, function_name_, index}};
    }

  private:
    sqlite3_value** values_;
    int count_;
    const char* function_name_;
};

namespace detail {

template <class... Args>
struct signature_of {
    static constexpr bool variadic = false;
    static constexpr int argument_count = static_cast<int>(sizeof...(Args));
    using arguments = std::tuple<std::remove_cvref_t<Args>...>;
};
template <class Only>
    requires std::same_as<std::remove_cvref_t<Only>, function_arguments>
struct signature_of<Only> {
    static constexpr bool variadic = true;
    static constexpr int argument_count = -1;
};

template <class Callable>
struct callable_signature_impl : callable_signature_impl<decltype(&Callable::operator())> {};
template <class Result, class... Args>
struct callable_signature_impl<Result (*)(Args...)> : signature_of<Args...> {};
template <class Result, class... Args>
struct callable_signature_impl<Result (*)(Args...) noexcept> : signature_of<Args...> {};
template <class Class, class Result, class... Args>
struct callable_signature_impl<Result (Class::*)(Args...)> : signature_of<Args...> {};
template <class Class, class Result, class... Args>
struct callable_signature_impl<Result (Class::*)(Args...) const> : signature_of<Args...> {};
template <class Class, class Result, class... Args>
struct callable_signature_impl<Result (Class::*)(Args...) noexcept> : signature_of<Args...> {};
template <class Class, class Result, class... Args>
struct callable_signature_impl<Result (Class::*)(Args...) const noexcept> : signature_of<Args...> {
};

template <class Callable>
using callable_signature = callable_signature_impl<std::decay_t<Callable>>;

}  // namespace detail
}  // namespace skiff
