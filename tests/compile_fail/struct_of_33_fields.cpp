// expect: structs of up to 32 fields can be mapped
//
// One field more than the library ties.
#include <skiff/connection.hpp>

struct of_32 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31;
};
struct of_33 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32;
};

auto good(skiff::connection& db) {
    return db.one<of_32>("select 1");
}

#ifdef SKIFF_MUST_FAIL
auto bad(skiff::connection& db) {
    return db.one<of_33>("select 1");
}
#endif
