// expect: this type cannot be bound
//
// Characters of other encodings are no numbers either.
#include <skiff/connection.hpp>

#include <cstdint>

void good(skiff::connection& db) {
    db.exec("select ?", static_cast<std::uint32_t>(U'a'));
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select ?", U'a');
}
#endif
