// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a connection is closed once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::connection good(skiff::connection&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::connection bad(const skiff::connection& handle) {
    return handle;
}
#endif
