// expect: use of deleted function|deleted (copy )?constructor|copy constructor .*is implicitly
// deleted
//
// KB-T6: a blob stream is closed once, so it can be moved and not copied.
#include <skiff/connection.hpp>

#include <utility>

skiff::blob_stream good(skiff::blob_stream&& handle) {
    return std::move(handle);
}

#ifdef SKIFF_MUST_FAIL
skiff::blob_stream bad(const skiff::blob_stream& handle) {
    return handle;
}
#endif
