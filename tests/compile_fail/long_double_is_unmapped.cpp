// expect: this type cannot be bound
//
// A long double does not fit SQLite's REAL, so it is not rounded silently.
#include <skiff/connection.hpp>

void good(skiff::connection& db) {
    db.exec("select ?", 1.0);
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select ?", 1.0L);
}
#endif
