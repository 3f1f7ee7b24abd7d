// expect: would hold a view into a row that is already gone
//
// all<std::span<const std::byte>> would collect spans into rows that are gone.
#include <skiff/connection.hpp>

#include <cstddef>
#include <span>
#include <vector>

std::vector<skiff::blob> good(skiff::connection& db) {
    return db.all<skiff::blob>("select x''");
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.all<std::span<const std::byte>>("select x''");
}
#endif
