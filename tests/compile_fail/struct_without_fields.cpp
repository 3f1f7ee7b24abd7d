// expect: a struct without fields cannot be mapped
//
// There is no row without columns.
#include <skiff/connection.hpp>

struct one_field {
    int a;
};
struct no_field {};

auto good(skiff::connection& db) {
    return db.one<one_field>("select 1");
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.one<no_field>("select 1");
}
#endif
