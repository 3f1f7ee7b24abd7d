// expect: this type cannot be bound
//
// A type without a mapping is refused with the name of what to specialise.
#include <skiff/connection.hpp>

#include <map>

void good(skiff::connection& db) {
    db.exec("select ?", 1);
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select ?", std::map<int, int>());
}
#endif
