// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a transaction ends once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::transaction good(skiff::transaction&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::transaction bad(const skiff::transaction& handle) {
    return handle;
}
#endif
