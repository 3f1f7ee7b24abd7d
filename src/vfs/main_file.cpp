// Reading, writing and settings of the database file; its wal-index is in main_file_index.cpp.
#include "vfs/main_file.hpp"

#include "vfs/io_error.hpp"
#include "vfs/mutant.hpp"
#include "vfs/registry.hpp"
#include "vfs/wal_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace skiff::vfs {

namespace {

/// Address space for a database's pages; what lies beyond is read with read calls.
constexpr std::size_t page_window_bytes = std::size_t{1} << 36;
/// Reads of one connection that the mapping did not have, before it is made or its end looked for:
/// programs that look at a few pages need none.
constexpr int misses_between_looks = 64;

/// Parts of pages may be read: SQLite has asked for that since 3.48, and read them always before.
#ifdef SQLITE_IOCAP_SUBPAGE_READ
constexpr int subpage_read = SQLITE_IOCAP_SUBPAGE_READ;
#else
constexpr int subpage_read = 0;
#endif

}  // namespace

main_file::main_file(int fd,
                     std::shared_ptr<inode> shared,
                     std::string path,
                     const char* opened_as) noexcept
    : fd_(fd),
      shared_(std::move(shared)),
      path_(std::move(path)),
      opened_as_(opened_as),
      lock_(fd) {
    if (!is_governors_) shared_->add_user();
}

main_file::~main_file() {
    static_cast<void>(finish_commit());  // rule B12
    if (!is_governors_) {
        shared_->checkpoints.clear_alarm(*this);
        shared_->remove_user();
    }
    if (wal_ != nullptr) wal_->orphan();
    if (index_) unmap_index(false);
    os::close_file(fd_);
}

int main_file::lock(int level) noexcept {
    // Whoever closes the last connection, or leaves WAL mode, wants the file for itself: then the
    // governor's connection must not be in the way.
    const bool wants_all = level == SQLITE_LOCK_EXCLUSIVE && index_ && !is_governors_;
    if (wants_all && shared_->users() == 1) shared_->checkpoints.stop();
    // Somebody uses the log whose locks on the database are gone, as the traditional ones go when
    // any descriptor of the file is closed: the log must stay (sqlite3.c, unixIsSharingShmNode).
    if (wants_all && lock_.level() == SQLITE_LOCK_SHARED && index_->is_shared()) return SQLITE_BUSY;
    // SQLite locks no byte of an index when it has the file to itself: with one that others do not
    // see, it would delete a log that holds their commits.
    if (wants_all && index_->slots().is_lost_now()) return SQLITE_BUSY;
    return lock_.lock(level);
}

void main_file::abandon() noexcept {
    // Destroying would unlock, unmap and wake on behalf of the parent: left alone, a small leak.
    wal_ = nullptr;
}

int main_file::read(void* target, int bytes, std::int64_t offset) noexcept {
    const auto count = static_cast<std::size_t>(bytes);
    if (const auto* found = find_mapped(offset, count)) {
        std::memcpy(target, found, count);
        return SQLITE_OK;
    }
    const auto got = os::read_at(fd_, target, count, offset);
    if (got < 0) {
        last_errno_ = errno;
        return errno == EIO || errno == ENXIO ? SQLITE_IOERR_CORRUPTFS : SQLITE_IOERR_READ;
    }
    if (got == bytes) return SQLITE_OK;
    std::memset(static_cast<char*>(target) + got, 0, static_cast<std::size_t>(bytes - got));
    return SQLITE_IOERR_SHORT_READ;
}

/// Programs that set no mmap_size have their pages copied from the mapping: that saves the call.
/// Without a lock others may make the file shorter at any moment.
const std::byte* main_file::find_mapped(std::int64_t offset, std::size_t bytes) noexcept {
    const auto end = offset + static_cast<std::int64_t>(bytes);
    if (!maps_ || lock_.level() == SQLITE_LOCK_NONE) return nullptr;
    if (map_limit_ > 0 && end > map_limit_) return nullptr;
    const auto* found = shared_->pages.find(offset, bytes);
    // The file may have grown: a look at its size now and then.
    if (found == nullptr && ++misses_ % misses_between_looks == 0 && open_map()) {
        found = shared_->pages.find_again(fd_, offset, bytes);
    }
    return found;
}

bool main_file::open_map() noexcept {
    const mutex_lock lock(shared_->pages_guard);
    return shared_->pages.is_open() || shared_->pages.open(fd_, page_window_bytes);
}

int main_file::write(const void* source, int bytes, std::int64_t offset) noexcept {
    if (is_poisoned()) return SQLITE_IOERR_WRITE;  // rule B19
    last_errno_ = os::write_at(fd_, source, static_cast<std::size_t>(bytes), offset);
    return last_errno_ == 0 ? SQLITE_OK : write_error(last_errno_, SQLITE_IOERR_WRITE);
}

int main_file::truncate(std::int64_t bytes) noexcept {
    if (chunk_bytes_ > 0) bytes = (bytes + chunk_bytes_ - 1) / chunk_bytes_ * chunk_bytes_;
    shared_->pages.note_end(bytes);
    last_errno_ = os::truncate_to(fd_, bytes);
    return last_errno_ == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int main_file::sync() noexcept {
    if (is_poisoned()) return SQLITE_IOERR_FSYNC;
    if (is_seeded(mutant::s10_database_not_synced)) return SQLITE_OK;
    last_errno_ = os::sync_data(fd_);
    if (last_errno_ == 0) return SQLITE_OK;
    if (is_seeded(mutant::s13_database_error_forgotten)) return SQLITE_IOERR_FSYNC;
    if (auto* log = wal_ != nullptr ? wal_->log() : nullptr) log->syncs.poison(last_errno_);
    return SQLITE_IOERR_FSYNC;
}

bool main_file::is_poisoned() const noexcept {
    const auto* log = wal_ != nullptr ? wal_->log() : nullptr;
    return log != nullptr && log->syncs.poisoned_by() != 0;
}

int main_file::size(std::int64_t& bytes) noexcept {
    if (size_is_remembered(bytes)) return SQLITE_OK;
    bytes = os::size_of(fd_);
    if (bytes < 0) {
        last_errno_ = errno;
        return SQLITE_IOERR_FSTAT;
    }
    shared_->pages.note_size(bytes);
    // A file of one byte is what a crash right after its making leaves: it is empty.
    if (bytes == 1) bytes = 0;
    remember_size(bytes);
    return SQLITE_OK;
}

int main_file::fetch(std::int64_t offset, int bytes, void** page) noexcept {
    *page = nullptr;
    if (map_limit_ <= 0 || offset + bytes > map_limit_) return SQLITE_OK;
    // In a damaged file SQLite may read a little beyond a page; the last one of the file has
    // nothing behind it (sqlite3.c, unixFetch, has the same margin).
    constexpr std::size_t overread_margin = 256;
    const auto page_bytes = static_cast<std::size_t>(bytes);
    const auto count = page_bytes + overread_margin;
    const auto* found = shared_->pages.find(offset, count);
    // The last page that is known is read with a read call, and no look at the size first.
    const bool is_last = found == nullptr && shared_->pages.find(offset, page_bytes) != nullptr;
    if (found == nullptr && !is_last) found = shared_->pages.find_again(fd_, offset, count);
    *page = const_cast<std::byte*>(found);
    return SQLITE_OK;
}

int main_file::set_map_limit(std::int64_t& bytes) noexcept {
    const std::int64_t wanted = bytes;
    bytes = map_limit_;
    if (wanted < 0) return SQLITE_OK;
    map_limit_ = std::min(wanted, static_cast<std::int64_t>(page_window_bytes));
    if (map_limit_ > 0 && (!maps_ || !open_map())) map_limit_ = 0;
    return SQLITE_OK;
}

int main_file::check_reserved(int& is_reserved) noexcept {
    bool held = false;
    const int code = lock_.check_reserved(held);
    is_reserved = held ? 1 : 0;
    return code;
}

int main_file::characteristics() const noexcept {
    return (powersafe_overwrite_ ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0) | subpage_read;
}

int main_file::size_hint(std::int64_t bytes) noexcept {
    if (chunk_bytes_ <= 0) return SQLITE_OK;
    const std::int64_t rounded = (bytes + chunk_bytes_ - 1) / chunk_bytes_ * chunk_bytes_;
    last_errno_ = os::extend_to(fd_, rounded);
    return last_errno_ == 0 ? SQLITE_OK : write_error(last_errno_, SQLITE_IOERR_WRITE);
}

void main_file::fill(vfs_status& status) noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto& governed = shared_->checkpoints.counters();
    status = {.maps_database = maps_ && shared_->pages.is_open(),
              .checkpoints = shared_->checkpoints.is_on(),
              .writers_waited = shared_->turn.waited(),
              .pauses_for_others = shared_->among_processes.pauses(),
              .checkpoint_runs = governed.checkpoints.load(relaxed),
              .log_resets = governed.resets.load(relaxed),
              .checkpoints_held_back = governed.held_back.load(relaxed),
              .longest_checkpoint_us = governed.longest_us.load(relaxed)};
    if (index_) {
        auto& slots = index_->slots();
        const auto oldest = slots.oldest_read(clock::now());
        status.oldest_read_us = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(oldest).count());
        status.is_alone = slots.is_alone();
        status.lock_requests = slots.requests();
        status.kernel_lock_calls = slots.counters().kernel_calls.load(relaxed);
        status.alone_begun = slots.counters().alone_begun.load(relaxed);
        status.longest_alone_us = slots.counters().longest_alone_us.load(relaxed);
    }
    if (const auto* log = wal_ != nullptr ? wal_->log() : nullptr) {
        status.poisoned_by = log->syncs.poisoned_by();
        status.group_commits = log->group_commits.load(relaxed);
        status.group_syncs = log->syncs.syncs();
        status.log_bytes = log->committed_bytes.load(relaxed);
    }
}

namespace {

/// A switch that is set, or asked for with a negative number.
int set_switch(bool& what, int& argument) noexcept {
    if (argument < 0) {
        argument = what ? 1 : 0;
    } else {
        what = argument != 0;
    }
    return SQLITE_OK;
}

}  // namespace

/// A program that says when checkpoints happen, or that they do not, relies on nobody else's.
void main_file::note_pragma(const char* name, const char* value) noexcept {
    constexpr int default_frames = 1000;  // SQLITE_DEFAULT_WAL_AUTOCHECKPOINT
    if (value == nullptr || sqlite3_stricmp(name, "wal_autocheckpoint") != 0) return;
    if (std::atoi(value) != default_frames) shared_->checkpoints.turn_off();
}

int main_file::control(int operation, void* argument) noexcept {
    auto* number = static_cast<int*>(argument);
    switch (operation) {
        case SQLITE_FCNTL_LOCKSTATE:
            *number = lock_.level();
            return SQLITE_OK;
        case SQLITE_FCNTL_LAST_ERRNO:
            *number = last_errno_;
            return SQLITE_OK;
        case SQLITE_FCNTL_CHUNK_SIZE:
            chunk_bytes_ = *number;
            return SQLITE_OK;
        case SQLITE_FCNTL_SIZE_HINT:
            return size_hint(*static_cast<std::int64_t*>(argument));
        case SQLITE_FCNTL_PERSIST_WAL:
            return set_switch(persists_wal_, *number);
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            return set_switch(powersafe_overwrite_, *number);
        case SQLITE_FCNTL_VFSNAME:
            *static_cast<char**>(argument) = sqlite3_mprintf("skiff");
            return SQLITE_OK;
        case SQLITE_FCNTL_HAS_MOVED:
            *number = os::id_of(path_.c_str()) != shared_->id() ? 1 : 0;
            return SQLITE_OK;
        case SQLITE_FCNTL_LOCK_TIMEOUT:
            *number = std::exchange(lock_timeout_ms_, *number);  // rule C4
            return SQLITE_OK;
        case SQLITE_FCNTL_MMAP_SIZE:
            return set_map_limit(*static_cast<std::int64_t*>(argument));
        case SQLITE_FCNTL_PRAGMA:
            note_pragma(static_cast<char**>(argument)[1], static_cast<char**>(argument)[2]);
            return SQLITE_NOTFOUND;  // SQLite goes on with it
        case SQLITE_FCNTL_PDB:
            connection_ = *static_cast<void**>(argument);
            return SQLITE_OK;
        case SQLITE_FCNTL_EXTERNAL_READER:
            *number = 0;
            return index_ ? index_->find_readers_elsewhere(*number) : SQLITE_OK;
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            return finish_commit();
        case fcntl_checkpoints_itself:
            *number = shared_->checkpoints.is_on() ? 1 : 0;
            return SQLITE_OK;
        case fcntl_status:
            fill(*static_cast<vfs_status*>(argument));
            return SQLITE_OK;
        case fcntl_wait_durable:
            return wait_durable();
        case fcntl_begin_observing:
            return shared_->observers.begin(*static_cast<wal_observer*>(argument)) ? SQLITE_OK
                                                                                   : SQLITE_NOMEM;
        case fcntl_end_observing:
            shared_->observers.end(*static_cast<wal_observer*>(argument));
            return SQLITE_OK;
        case fcntl_set_log_alarm:
            return shared_->checkpoints.set_alarm(*this, *static_cast<log_alarm_hook*>(argument));
        case fcntl_forbid_alone:
            shared_->forbid_alone();
            return SQLITE_OK;
        case fcntl_forbid_maps:
            maps_ = false;
            map_limit_ = 0;
            return SQLITE_OK;
        case fcntl_stop_checkpointing:
            shared_->checkpoints.turn_off();
            return SQLITE_OK;
        default:
            return SQLITE_NOTFOUND;
    }
}

}  // namespace skiff::vfs
