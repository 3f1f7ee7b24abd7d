// expect: would hold a view into a row that is already gone
//
// Views hidden in an optional, a variant or a tuple are found as well, also in a held statement.
#include <skiff/connection.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

auto good(skiff::statement& held) {
    return held.one<std::tuple<int, std::optional<std::string>>>();
}

#ifdef SKIFF_MUST_FAIL
using wrapped = std::variant<std::monostate, std::string_view>;
auto bad(skiff::statement& held) {
    return held.one<std::tuple<int, std::optional<wrapped>>>();
}
#endif
