// Attaching follows sqlite3.c, unixLockSharedMemory: whoever is first truncates the file, under an
// exclusive lock of the byte that all others share as long as they are attached (rule A10).
#include "vfs/wal_index.hpp"

#include "base/delay_point.hpp"
#include "vfs/io_error.hpp"
#include "vfs/mutant.hpp"
#include "vfs/reaper.hpp"

#include <sqlite3.h>

#include <fcntl.h>

namespace skiff::vfs {

namespace {

using os::lock_kind;

// sqlite3.c: UNIX_SHM_BASE, UNIX_SHM_DMS.
constexpr std::int64_t first_lock_byte = 120;
constexpr std::int64_t attached_byte = 128;
constexpr std::int64_t read_slots = slot_count - first_read_slot;
/// What is left by the first to attach; SQLite's own mark of a fresh file.
constexpr std::int64_t fresh_bytes = 3;
constexpr std::int64_t page_bytes = 4096;

}  // namespace

wal_index::~wal_index() {
    reaper::forget(slots_);
    const mutex_lock lock(mutex_);
    for (void* region : regions_) {
        os::unmap(region, static_cast<std::size_t>(region_bytes_));
    }
    os::close_file(fd_);
}

int wal_index::open(const std::string& database_path, int database_fd) noexcept try {
    path_ = database_path + "-shm";
    const auto opened = os::open_file(path_.c_str(), O_RDWR | O_CREAT, os::mode_of(database_fd));
    if (opened.fd < 0) return SQLITE_CANTOPEN;
    fd_ = opened.fd;
    passes(delay_point::index_opened);
    os::give_owner_of(fd_, database_fd);
    return attach();
} catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
}

int wal_index::attach() noexcept {
    const int held = os::lock_held_by_others(fd_, attached_byte, 1);
    if (held < 0) return SQLITE_IOERR_LOCK;
    if (held == static_cast<int>(lock_kind::exclusive)) return SQLITE_BUSY;
    if (is_seeded(mutant::s17_index_emptied)) os::truncate_to(fd_, fresh_bytes);
    if (held == static_cast<int>(lock_kind::none)) {
        // Nobody is there: what the file holds may be a leftover of a crash.
        if (const int error = os::lock_range(fd_, lock_kind::exclusive, attached_byte, 1)) {
            return lock_error(error, SQLITE_IOERR_LOCK);
        }
        if (os::truncate_to(fd_, fresh_bytes) != 0) return SQLITE_IOERR_SHMOPEN;
        passes(delay_point::index_emptied);
    }
    if (is_seeded(mutant::m12_not_marked_attached)) {
        return lock_error(os::lock_range(fd_, lock_kind::none, attached_byte, 1), SQLITE_IOERR);
    }
    return lock_error(os::lock_range(fd_, lock_kind::shared, attached_byte, 1), SQLITE_IOERR_LOCK);
}

/// Writes into each new page, so that the space is there: a mapping without it is a signal at the
/// first touch.
int wal_index::grow(std::int64_t bytes) noexcept {
    const std::int64_t now = os::size_of(fd_);
    if (now < 0) return SQLITE_IOERR_SHMSIZE;
    for (std::int64_t page = now / page_bytes; page < bytes / page_bytes; ++page) {
        if (os::write_at(fd_, "", 1, page * page_bytes + page_bytes - 1) != 0) {
            return SQLITE_IOERR_SHMSIZE;
        }
    }
    return SQLITE_OK;
}

int wal_index::map(int region, int region_bytes, bool extend, void volatile** mapped) noexcept {
    const mutex_lock lock(mutex_);
    const auto wanted = static_cast<std::size_t>(region) + 1;
    region_bytes_ = region_bytes;
    *mapped = nullptr;
    while (regions_.size() < wanted) {
        const auto offset = static_cast<std::int64_t>(regions_.size()) * region_bytes;
        const std::int64_t size = os::size_of(fd_);
        if (size < 0) return SQLITE_IOERR_SHMSIZE;
        if (size < offset + region_bytes) {
            if (!extend) return SQLITE_OK;
            if (const int code = grow(offset + region_bytes)) return code;
        }
        void* address = os::map_shared(fd_, static_cast<std::size_t>(region_bytes), offset, true);
        if (address == nullptr) return SQLITE_IOERR_SHMMAP;
        try {
            regions_.push_back(address);
        } catch (const std::bad_alloc&) {
            os::unmap(address, static_cast<std::size_t>(region_bytes));
            return SQLITE_NOMEM;
        }
        if (regions_.size() == 1) header_.store(address, std::memory_order_release);
    }
    *mapped = regions_[wanted - 1];
    return SQLITE_OK;
}

void wal_index::shut_out_writers() noexcept {
    const mutex_lock lock(mutex_);
    if (guard_ == nullptr) guard_ = slots_.attach();
    if (guard_ == nullptr) return;
    for (const int slot : {write_slot, checkpoint_slot}) {
        if ((guard_->exclusive >> slot & 1U) == 0) slots_.lock_exclusive(*guard_, slot, 1);
    }
}

int wal_index::find_readers_elsewhere(int& found) noexcept {
    const int held = os::lock_held_by_others(fd_, first_lock_byte + first_read_slot, read_slots);
    found = held > static_cast<int>(lock_kind::none) ? 1 : 0;
    return held < 0 ? SQLITE_IOERR : SQLITE_OK;
}

void wal_index::unlink() noexcept {
    os::remove_file(path_.c_str());
}

int wal_index::lock_slots(lock_kind kind, int first, int count) noexcept {
    return os::lock_range(fd_, kind, first_lock_byte + first, count);
}

bool wal_index::others_attached() noexcept {
    return os::lock_held_by_others(fd_, attached_byte, 1) != static_cast<int>(lock_kind::none);
}

bool wal_index::start_ticking() noexcept {
    return reaper::watch(slots_);
}

bool wal_index::is_deleted() noexcept {
    if (os::has_name(fd_)) return false;
    sqlite3_log(SQLITE_IOERR_SHMOPEN,
                "%s was deleted while it was in use: close all connections of this process to the "
                "database and open it again; what was committed is in the -wal file",
                path_.c_str());
    return true;
}

}  // namespace skiff::vfs
