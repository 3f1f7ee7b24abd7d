// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a savepoint ends once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::savepoint good(skiff::savepoint&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::savepoint bad(const skiff::savepoint& handle) {
    return handle;
}
#endif
