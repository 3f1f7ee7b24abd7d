// expect: nine decimal digits, which do not hold this unit exactly
//
// Nobody wrote such a time as text, and what is read would not be what was written.
#include <skiff/connection.hpp>

#include <chrono>
#include <cstdint>
#include <ratio>

using frames = std::chrono::duration<std::int64_t, std::ratio<1, 60>>;
using frame_time = std::chrono::sys_time<frames>;

void good(skiff::connection& db) {
    static_cast<void>(db.one<skiff::epoch<frame_time>>("select 1"));
}

#ifdef SKIFF_MUST_FAIL
void bad(skiff::connection& db) {
    static_cast<void>(db.one<frame_time>("select '2026-11-30'"));
}
#endif
