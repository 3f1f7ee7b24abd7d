// expect: expects an lvalue|discards qualifiers|passing .* as .this.|cannot bind
//
// The range would outlive the connection that it reads from.
#include <skiff/connection.hpp>

int good() {
    return skiff::connection::open(":memory:").one<int>("select 1");
}

#ifdef SKIFF_MUST_FAIL
int bad() {
    int sum = 0;
    for (const int each : skiff::connection::open(":memory:").rows<int>("select 1")) sum += each;
    return sum;
}
#endif
