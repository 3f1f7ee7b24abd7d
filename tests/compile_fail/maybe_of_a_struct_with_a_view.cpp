// expect: would hold a view into a row that is already gone
//
// A struct with a string_view field is fine in a loop over rows, and dangling anywhere else.
#include <skiff/connection.hpp>

#include <optional>
#include <string_view>

struct user {
    int id;
    std::string_view name;
};

int good(skiff::connection& db) {
    int sum = 0;
    for (const auto each : db.rows<user>("select 1, 'ann'")) sum += each.id;
    return sum;
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.maybe<user>("select 1, 'ann'");
}
#endif
