// Versions, as the library was built.
#include <skiff/version.hpp>

#include <sqlite3.h>

#define SKIFF_TEXT_OF(x) #x
#define SKIFF_TEXT(x) SKIFF_TEXT_OF(x)

namespace skiff {

const char* library_version() noexcept {
    return SKIFF_TEXT(SKIFF_VERSION_MAJOR) "." SKIFF_TEXT(SKIFF_VERSION_MINOR) "." SKIFF_TEXT(
        SKIFF_VERSION_PATCH);
}

const char* sqlite_version() noexcept {
    return sqlite3_libversion();
}

}  // namespace skiff
