// A child after fork begins with none, as with everything.
#include "vfs/open_names.hpp"

#include "base/mutex.hpp"
#include "vfs/process.hpp"

#include <new>
#include <set>

namespace skiff::vfs {

namespace {

struct known_names {
    mutex guard;
    std::multiset<const char*> names SKIFF_GUARDED_BY(guard);
};

known_names& known() {
    return process::the_only<known_names>();
}

}  // namespace

open_name::open_name(const char* name) noexcept : name_(name) {
    const mutex_lock lock(known().guard);
    try {
        known().names.insert(name);
    } catch (const std::bad_alloc&) {
        name_ = nullptr;  // not known: its log will be that of SQLite's own VFS
    }
}

open_name::~open_name() {
    const mutex_lock lock(known().guard);
    const auto found = known().names.find(name_);
    if (found != known().names.end()) known().names.erase(found);
}

bool open_name::is_known(const char* name) noexcept {
    const mutex_lock lock(known().guard);
    return known().names.contains(name);
}

}  // namespace skiff::vfs
