// expect: deleted|no matching function|static assertion failed
//
// Rows cannot be collected: take values, or all<T>().
#include <skiff/connection.hpp>

#include <vector>

std::vector<int> good(skiff::connection& db) {
    std::vector<int> kept;
    for (const auto& row : db.query("select 1")) kept.push_back(row.get<int>(0));
    return kept;
}

#ifdef SKIFF_MUST_FAIL
std::vector<skiff::row> bad(skiff::connection& db) {
    std::vector<skiff::row> kept;
    for (const auto& row : db.query("select 1")) kept.push_back(row);
    return kept;
}
#endif
