// expect: this type cannot be bound
//
// A pointer must not become a number, nor true.
#include <skiff/connection.hpp>

void good(skiff::connection& db, const int* number) {
    db.exec("select ?", *number);
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db, const int* number) {
    db.exec("select ?", number);
}
#endif
