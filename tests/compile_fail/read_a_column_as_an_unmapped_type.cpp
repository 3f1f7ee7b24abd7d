// expect: this type cannot be read from a column
//
// The same for a single column, here with a type that can only be bound.
#include <skiff/connection.hpp>

int good(const skiff::row& row) {
    return row.get<int>(0);
}

#ifdef SKIFF_MUST_FAIL
auto bad(const skiff::row& row) {
    return row.get<const char*>(0);
}
#endif
