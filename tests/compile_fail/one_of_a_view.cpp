// expect: would hold a view into a row that is already gone
//
// one<std::string_view> would return a view into a row that ended with the call.
#include <skiff/connection.hpp>

#include <string>
#include <string_view>

std::string good(skiff::connection& db) {
    return db.one<std::string>("select 'a'");
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.one<std::string_view>("select 'a'");
}
#endif
