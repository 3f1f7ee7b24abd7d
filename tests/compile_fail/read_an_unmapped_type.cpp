// expect: this type cannot be read from a row
//
// A type without a mapping is refused with the name of what to specialise.
#include <skiff/connection.hpp>

#include <cstdint>
#include <map>

auto good(skiff::connection& db) {
    return db.one<std::int64_t>("select 1");
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.one<std::map<int, int>>("select 1");
}
#endif
