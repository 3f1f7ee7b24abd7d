// The table of databases open in this process.
#include "vfs/inode.hpp"

#include "base/delay_point.hpp"
#include "vfs/mutant.hpp"
#include "vfs/sync_marker.hpp"

#include <sqlite3.h>

#include <fcntl.h>
#include <map>
#include <new>
#include <utility>

namespace skiff::vfs {

namespace {

/// Largest window on a log: beyond, it is read with read calls.
constexpr std::size_t log_window_bytes = std::size_t{1} << 30;

struct by_id {
    bool operator()(const os::file_id& left, const os::file_id& right) const noexcept {
        return std::pair(left.device, left.inode) < std::pair(right.device, right.inode);
    }
};

/// A child after fork begins with an empty one.
struct registry {
    mutex guard;
    std::map<os::file_id, std::weak_ptr<inode>, by_id> inodes SKIFF_GUARDED_BY(guard);
};

}  // namespace

std::shared_ptr<inode> inode::find_or_make(int fd, const char* path, bool may_be_alone) noexcept
    try {
    const auto id = os::id_of(fd);
    if (id == os::file_id{}) return nullptr;
    auto& all = process::the_only<registry>();
    const mutex_lock lock(all.guard);
    std::erase_if(all.inodes, [](const auto& each) { return each.second.expired(); });
    auto& place = all.inodes[id];
    auto found = place.lock();
    if (!found) {
        found = std::make_shared<inode>(id, path, may_be_alone);
        place = found;
    }
    return found;
} catch (const std::bad_alloc&) {
    return nullptr;
}

std::shared_ptr<wal_index> inode::attach_index(int database_fd, int& code) noexcept try {
    const mutex_lock lock(mutex_);
    auto found = index_.lock();
    if (found) return found;
    found = std::make_shared<wal_index>(may_be_alone_);
    code = found->open(path_, database_fd);
    if (code != SQLITE_OK) return nullptr;
    index_ = found;
    return found;
} catch (const std::bad_alloc&) {
    code = SQLITE_NOMEM;
    return nullptr;
}

void inode::detach_index(std::shared_ptr<wal_index>& held, bool delete_file) noexcept {
    const mutex_lock lock(mutex_);
    // Under the mutex nobody attaches, so the count can only fall.
    if (delete_file && held.use_count() == 1) held->unlink();
    passes(delay_point::index_left);
    if (is_seeded(mutant::m11_index_outlives_close)) new std::shared_ptr<wal_index>(held);
    held.reset();
}

std::shared_ptr<wal_log> inode::attach_log(int log_fd, const char* log_path) noexcept try {
    const mutex_lock lock(mutex_);
    const auto id = os::id_of(log_fd);
    if (id == os::file_id{}) return nullptr;
    auto found = log_.lock();
    if (found) return found->id == id ? found : nullptr;
    found = std::make_shared<wal_log>(id, log_path);
    log_ = found;
    return found;
} catch (const std::bad_alloc&) {
    return nullptr;
}

void inode::forbid_alone() noexcept {
    const mutex_lock lock(mutex_);
    may_be_alone_ = false;
    if (const auto found = index_.lock()) found->slots().forbid_alone();
}

void inode::mark_unsynced(wal_log& log) noexcept {
    if (is_marked_.exchange(true) || is_seeded(mutant::s25_marker_not_left)) return;
    sync_marker::leave(path_, log.syncs.poisoned_by(), log.syncs.durable().position);
}

bool wal_log::prepare() noexcept {
    const mutex_lock lock(preparing);
    if (is_prepared()) return true;
    const int opened = os::open_file(path.c_str(), O_RDWR, 0).fd;
    if (opened < 0) return false;
    if (os::id_of(opened) != id) {
        os::close_file(opened);
        return false;
    }
    map.open(opened, log_window_bytes);
    fd.store(opened, std::memory_order_release);
    return true;
}

}  // namespace skiff::vfs
