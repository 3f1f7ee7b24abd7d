// expect: this type cannot be bound
//
// Is a char a number or a text? The program must say which.
#include <skiff/connection.hpp>

#include <string_view>

void good(skiff::connection& db) {
    const char letter = 'a';
    db.exec("select ?, ?", static_cast<int>(letter), std::string_view(&letter, 1));
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    db.exec("select ?", 'a');
}
#endif
