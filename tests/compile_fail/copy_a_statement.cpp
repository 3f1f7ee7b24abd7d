// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a statement is finalized once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::statement good(skiff::statement&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::statement bad(const skiff::statement& handle) {
    return handle;
}
#endif
