// expect: give all arguments by position or all by name
//
// Names and positions in one call would leave it open which parameter is which.
#include <skiff/connection.hpp>

void good(skiff::connection& db) {
    db.exec("select :a, :b", skiff::named("a", 1), skiff::named("b", 2));
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select :a, :b", skiff::named("a", 1), 2);
}
#endif
