// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a query runs once, so its range can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::row_range good(skiff::row_range&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::row_range bad(const skiff::row_range& handle) {
    return handle;
}
#endif
