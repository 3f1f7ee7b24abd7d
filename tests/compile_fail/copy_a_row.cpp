// expect: use of deleted function|deleted (copy )?constructor
//
// KB-T6: a row is a look at the current row of a running query, and cannot be kept.
#include <skiff/connection.hpp>

int good(skiff::connection& db) {
    int sum = 0;
    for (const auto& row : db.query("select 1")) sum += row.get<int>(0);
    return sum;
}

#ifdef SKIFF_MUST_FAIL
int bad(skiff::connection& db) {
    int sum = 0;
    for (const auto row : db.query("select 1")) sum += row.get<int>(0);
    return sum;
}
#endif
