// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a backup is finished once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::backup good(skiff::backup&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::backup bad(const skiff::backup& handle) {
    return handle;
}
#endif
