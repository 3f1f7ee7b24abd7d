// SQL functions, aggregates, window functions and collations from plain C++ callables and classes.
// The number and types of their arguments are read off the C++ signature.
#pragma once

#include <skiff/detail/callable.hpp>
#include <skiff/mapping/compound.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace skiff {

/// How SQLite may use a function (sqlite.org/c3ref/c_deterministic.html).
struct function_options {
    bool deterministic = false;  ///< same arguments, same result. An index on it also needs
                                 ///< direct_only = false and innocuous = true
    bool direct_only = true;     ///< not from triggers, views or the schema of a file
    bool innocuous = false;      ///< harmless even when a hostile schema calls it
};

namespace detail {

/// What is handed to SQLite for one function: type-erased, shared by all connections that have it.
struct function_definition {
    std::string name;
    int argument_count = -1;  ///< -1: any number
    function_options options;
    std::shared_ptr<void> object;  ///< the callable, or a factory of aggregate states
    void (*call)(sqlite3_context*, int, sqlite3_value**) = nullptr;
    void (*step)(sqlite3_context*, int, sqlite3_value**) = nullptr;
    void (*finish)(sqlite3_context*) = nullptr;
    void (*value)(sqlite3_context*) = nullptr;  ///< with inverse: a window function
    void (*inverse)(sqlite3_context*, int, sqlite3_value**) = nullptr;
};

struct collation_definition {
    std::string name;
    std::shared_ptr<void> object;
    int (*compare)(void*, int, const void*, int, const void*) = nullptr;
};

/// The object of the function being called.
void* function_object(sqlite3_context* context) noexcept;
const char* function_name(sqlite3_context* context) noexcept;
/// Turns the exception in flight into the function's result: an SQL error that carries its text;
/// the exception itself reaches the caller of the statement.
void report_exception(sqlite3_context* context) noexcept;
/// Memory of one aggregate run, zeroed at first; null when out of memory or (make false) not begun.
void* aggregate_memory(sqlite3_context* context, std::size_t bytes, bool make) noexcept;

template <class Tuple, std::size_t... Index>
Tuple read_arguments([[maybe_unused]] sqlite3_context* context,
                     [[maybe_unused]] sqlite3_value** values,
                     std::index_sequence<Index...>) {
    return Tuple{
        value_ref(values[Index], {nullptr, function_name(context), static_cast<int>(Index)})
            .read<std::tuple_element_t<Index, Tuple>>()...};
}

template <class Signature>
auto arguments_of(sqlite3_context* context, int count, sqlite3_value** values) {
    if constexpr (Signature::variadic) {
        return std::tuple<function_arguments>(
            function_arguments(values, count, function_name(context)));
    } else {
        using tuple = typename Signature::arguments;
        return read_arguments<tuple>(context, values,
                                     std::make_index_sequence<std::tuple_size_v<tuple>>{});
    }
}

template <class Result>
void write_result(sqlite3_context* context, const Result& result) {
    value_sink(context).write(result);
}

/// Calls `work` and writes what it returns; exceptions become SQL errors. Never throws.
template <class Work>
void guarded_call(sqlite3_context* context, Work&& work) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
        } else {
            write_result(context, work());
        }
    } catch (...) {
        report_exception(context);
    }
}

template <class Callable>
function_definition scalar_definition(std::string_view name,
                                      Callable callable,
                                      function_options options) {
    using signature = callable_signature<Callable>;
    function_definition made;
    made.name = name;
    made.options = options;
    made.argument_count = signature::argument_count;
    made.object = std::make_shared<Callable>(std::move(callable));
    made.call = [](sqlite3_context* context, int count, sqlite3_value** values) {
        guarded_call(context, [&] {
            auto& target = *static_cast<Callable*>(function_object(context));
            return std::apply(target, arguments_of<signature>(context, count, values));
        });
    };
    return made;
}

/// One run of an aggregate: built by the first step, destroyed by finish.
template <class Aggregate>
Aggregate* aggregate_state(sqlite3_context* context) {
    auto** held = static_cast<Aggregate**>(aggregate_memory(context, sizeof(Aggregate*), true));
    if (held == nullptr) throw std::bad_alloc();
    if (*held == nullptr) *held = new Aggregate(*static_cast<Aggregate*>(function_object(context)));
    return *held;
}

template <class Aggregate>
void finish_aggregate(sqlite3_context* context) noexcept {
    auto** held = static_cast<Aggregate**>(aggregate_memory(context, sizeof(Aggregate*), false));
    std::unique_ptr<Aggregate> state;
    if (held != nullptr) state.reset(std::exchange(*held, nullptr));
    guarded_call(context, [&] {
        if (!state) {  // no row at all: finish a fresh copy
            state = std::make_unique<Aggregate>(*static_cast<Aggregate*>(function_object(context)));
        }
        return state->finish();
    });
}

template <class Aggregate>
function_definition aggregate_definition(std::string_view name,
                                         Aggregate prototype,
                                         function_options options) {
    using signature = callable_signature<decltype(&Aggregate::step)>;
    function_definition made;
    made.name = name;
    made.options = options;
    made.argument_count = signature::argument_count;
    made.object = std::make_shared<Aggregate>(std::move(prototype));
    made.step = [](sqlite3_context* context, int count, sqlite3_value** values) {
        guarded_call(context, [&] {
            auto* state = aggregate_state<Aggregate>(context);
            std::apply([&](auto&&... args) { state->step(std::move(args)...); },
                       arguments_of<signature>(context, count, values));
        });
    };
    made.finish = [](sqlite3_context* context) { finish_aggregate<Aggregate>(context); };
    return made;
}

template <class Window>
function_definition window_definition(std::string_view name,
                                      Window prototype,
                                      function_options options) {
    using signature = callable_signature<decltype(&Window::step)>;
    auto made = aggregate_definition(name, std::move(prototype), options);
    made.inverse = [](sqlite3_context* context, int count, sqlite3_value** values) {
        guarded_call(context, [&] {
            auto* state = aggregate_state<Window>(context);
            std::apply([&](auto&&... args) { state->inverse(std::move(args)...); },
                       arguments_of<signature>(context, count, values));
        });
    };
    made.value = [](sqlite3_context* context) {
        guarded_call(context, [&] { return aggregate_state<Window>(context)->value(); });
    };
    return made;
}

template <class Compare>
collation_definition collation_from(std::string_view name, Compare compare) {
    collation_definition made;
    made.name = name;
    made.object = std::make_shared<Compare>(std::move(compare));
    made.compare = [](void* object, int left_bytes, const void* left, int right_bytes,
                      const void* right) noexcept -> int {
        const std::string_view a(static_cast<const char*>(left),
                                 static_cast<std::size_t>(left_bytes));
        const std::string_view b(static_cast<const char*>(right),
                                 static_cast<std::size_t>(right_bytes));
        const auto order = (*static_cast<Compare*>(object))(a, b);
        return order < 0 ? -1 : order > 0 ? 1 : 0;
    };
    return made;
}

}  // namespace detail

/// Registers functions and collations; implemented by connection (for itself) and by database (for
/// all of its connections, those opened later included: then the callables are called from several
/// threads at the same time and must be thread-safe).
template <class Derived>
class function_registry {
  public:
    /// A scalar function: any callable whose parameters and result are mapped types, or that takes
    /// one `function_arguments` for any number of them. What it throws fails the statement and
    /// reaches its caller.
    ///
    ///     db.define_function("initial", [](std::string_view s) { return std::string(s, 0, 1); });
    template <class Callable>
    void define_function(std::string_view name, Callable callable, function_options options = {}) {
        define(detail::scalar_definition(name, std::move(callable), options));
    }
    /// An aggregate: a copyable class with `void step(args…)` and `R finish()`. Each group works on
    /// a copy of `prototype`.
    template <class Aggregate>
    void define_aggregate(std::string_view name,
                          Aggregate prototype = {},
                          function_options options = {}) {
        define(detail::aggregate_definition(name, std::move(prototype), options));
    }
    /// A window function: an aggregate that has `void inverse(args…)` and `R value()` as well.
    template <class Window>
    void define_window(std::string_view name,
                       Window prototype = {},
                       function_options options = {}) {
        define(detail::window_definition(name, std::move(prototype), options));
    }
    /// A collation: a callable that compares two string_views, returning an int or a
    /// std::…_ordering. It must be a strict order and must not throw (an exception ends the
    /// program).
    template <class Compare>
    void define_collation(std::string_view name, Compare compare) {
        static_cast<Derived*>(this)->define_collation_now(
            detail::collation_from(name, std::move(compare)));
    }

  private:
    void define(detail::function_definition made) {
        static_cast<Derived*>(this)->define_function_now(std::move(made));
    }
};

}  // namespace skiff
