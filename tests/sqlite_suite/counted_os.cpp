// src/vfs/os_linux.cpp as SQLite's testfixture needs it: calls fail when the suite wants a fault,
// and are counted where it counts. SQLite's own VFS does the same (sqlite3.c, os_common.h). Syncs
// do nothing, as in the suite's build of SQLite (SQLITE_NO_SYNC). The suite moves the bytes that
// databases are locked with, so that small files can reach them.
#define open_file real_open_file
#define close_file real_close_file
#define read_at real_read_at
#define write_at real_write_at
#define size_of real_size_of
#define truncate_to real_truncate_to
#define extend_to real_extend_to
#define sync_data real_sync_data
#define sync_directory_of real_sync_directory_of
#define lock_range real_lock_range
#define lock_held_by_others real_lock_held_by_others
#include "vfs/os_linux.cpp"
#undef open_file
#undef close_file
#undef read_at
#undef write_at
#undef size_of
#undef truncate_to
#undef extend_to
#undef sync_data
#undef sync_directory_of
#undef lock_range
#undef lock_held_by_others

extern "C" {
extern int sqlite3_io_error_hit;
extern int sqlite3_io_error_hardhit;
extern int sqlite3_io_error_pending;
extern int sqlite3_io_error_persist;
extern int sqlite3_io_error_benign;
extern int sqlite3_diskfull_pending;
extern int sqlite3_diskfull;
extern int sqlite3_sync_count;
extern int sqlite3_open_file_count;
extern int sqlite3PendingByte;
}

namespace skiff::vfs::os {

namespace {

void note_fault() noexcept {
    ++sqlite3_io_error_hit;
    if (sqlite3_io_error_benign == 0) ++sqlite3_io_error_hardhit;
}

/// What is wrong when the suite wants this call to fail; not EIO, which stands for a broken file.
constexpr int injected = EREMOTEIO;

/// `injected` or 0.
int fault() noexcept {
    const bool again = sqlite3_io_error_persist != 0 && sqlite3_io_error_hit != 0;
    if (!again && sqlite3_io_error_pending-- != 1) return 0;
    note_fault();
    return injected;
}

/// ENOSPC when the suite wants the disk to be full.
int full_disk() noexcept {
    if (sqlite3_diskfull_pending == 0) return 0;
    if (sqlite3_diskfull_pending > 1) {
        --sqlite3_diskfull_pending;
        return 0;
    }
    note_fault();
    sqlite3_diskfull = 1;
    sqlite3_io_error_hit = 1;
    return ENOSPC;
}

/// Where the suite has moved a byte to.
std::int64_t moved(std::int64_t lock_byte) noexcept {
    constexpr std::int64_t usual_pending_byte = 0x40000000;
    return lock_byte < usual_pending_byte ? lock_byte
                                          : lock_byte - usual_pending_byte + sqlite3PendingByte;
}

}  // namespace

int lock_range(int fd, lock_kind kind, std::int64_t start, std::int64_t length) noexcept {
    return real_lock_range(fd, kind, moved(start), length);
}

int lock_held_by_others(int fd, std::int64_t start, std::int64_t length) noexcept {
    return real_lock_held_by_others(fd, moved(start), length);
}

open_result open_file(const char* path, int flags, unsigned mode) noexcept {
    const auto opened = real_open_file(path, flags, mode);
    if (opened.fd >= 0) ++sqlite3_open_file_count;
    return opened;
}

void close_file(int fd) noexcept {
    if (fd >= 0) --sqlite3_open_file_count;
    real_close_file(fd);
}

std::ptrdiff_t read_at(int fd, void* target, std::size_t bytes, std::int64_t offset) noexcept {
    errno = fault();
    return errno != 0 ? -1 : real_read_at(fd, target, bytes, offset);
}

int write_at(int fd, const void* source, std::size_t bytes, std::int64_t offset) noexcept {
    if (const int error = fault()) return error;
    if (const int error = full_disk()) return error;
    return real_write_at(fd, source, bytes, offset);
}

std::int64_t size_of(int fd) noexcept {
    errno = fault();
    return errno != 0 ? -1 : real_size_of(fd);
}

int truncate_to(int fd, std::int64_t bytes) noexcept {
    const int error = fault();
    return error != 0 ? error : real_truncate_to(fd, bytes);
}

int extend_to(int fd, std::int64_t bytes) noexcept {
    const int error = fault();
    return error != 0 ? error : real_extend_to(fd, bytes);
}

int sync_data(int) noexcept {
    ++sqlite3_sync_count;
    if (const int error = fault()) return error;
    return full_disk();
}

int sync_directory_of(const char*) noexcept {
    ++sqlite3_sync_count;
    return fault();
}

}  // namespace skiff::vfs::os
