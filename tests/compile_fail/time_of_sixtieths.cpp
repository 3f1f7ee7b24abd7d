// expect: nine decimal digits, which do not hold this unit exactly
//
// A sixtieth of a second has no end in decimal digits: the text would be another time.
#include <skiff/connection.hpp>

#include <chrono>
#include <cstdint>
#include <ratio>

using frames = std::chrono::duration<std::int64_t, std::ratio<1, 60>>;
using frame_time = std::chrono::sys_time<frames>;

void good(skiff::connection& db, frame_time time) {
    db.exec("select ?, ?", skiff::epoch{time},
            std::chrono::time_point_cast<std::chrono::nanoseconds>(time));
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db, frame_time time) {
    db.exec("select ?", time);
}
#endif
