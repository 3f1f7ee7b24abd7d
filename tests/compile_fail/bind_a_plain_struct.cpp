// expect: this type cannot be bound
//
// A struct is spread over parameters in insert_many only: one argument is one parameter.
#include <skiff/connection.hpp>

#include <array>

struct point {
    int x;
    int y;
};

void good(skiff::connection& db) {
    db.insert_many("select ?, ?", std::array{point{1, 2}});
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select ?, ?", point{1, 2});
}
#endif
