// expect: use a time point that counts in integers
//
// ISO-8601 text is written in whole units of the type: what a double holds between them would be
// lost without a word.
#include <skiff/connection.hpp>

#include <chrono>

using fractional = std::chrono::sys_time<std::chrono::duration<double>>;

void good(skiff::connection& db, fractional time) {
    db.exec("select ?, ?", std::chrono::floor<std::chrono::milliseconds>(time), skiff::epoch{time});
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db, fractional time) {
    db.exec("select ?", time);
}
#endif
