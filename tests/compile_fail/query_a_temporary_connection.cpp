// expect: expects an lvalue|discards qualifiers|passing .* as .this.|cannot bind
//
// The range would outlive the connection that it reads from.
#include <skiff/connection.hpp>

int good() {
    auto db = skiff::connection::open(":memory:");
    int sum = 0;
    for (const auto& row : db.query("select 1")) sum += row.get<int>(0);
    return sum;
}

#ifdef SKIFF_MUST_FAIL
int bad() {
    int sum = 0;
    for (const auto& row : skiff::connection::open(":memory:").query("select 1")) {
        sum += row.get<int>(0);
    }
    return sum;
}
#endif
