// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a query runs once, so its range can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::typed_rows<int> good(skiff::typed_rows<int>&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::typed_rows<int> bad(const skiff::typed_rows<int>& handle) {
    return handle;
}
#endif
