// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: an image frees its bytes once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::image good(skiff::image&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::image bad(const skiff::image& handle) {
    return handle;
}
#endif
