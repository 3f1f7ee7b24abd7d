// Linux: locks of open file descriptions (since 3.15), fdatasync, fallocate.
#include "vfs/io_interceptor.hpp"
#include "vfs/os.hpp"
#include "vfs/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace skiff::vfs::os {

namespace {

/// The first descriptor that is not one of the standard streams, which libraries write to blindly.
constexpr int first_fd = 3;
constexpr long xfs_magic = 0x58465342;
constexpr long f2fs_magic = 0xF2F52010L;

template <class Call>
auto repeat_when_cut(Call&& call) noexcept {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

int code_of(int result) noexcept {
    return result < 0 ? errno : 0;
}

struct flock range_of(short type, std::int64_t start, std::int64_t length) noexcept {
    struct flock range{};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = length;
    return range;
}

int write_all(int fd, const void* source, std::size_t bytes, std::int64_t offset) noexcept {
    std::size_t done = 0;
    while (done < bytes) {
        const auto put = repeat_when_cut([&] {
            return pwrite(fd, static_cast<const char*>(source) + done, bytes - done,
                          offset + static_cast<std::int64_t>(done));
        });
        if (put < 0) return errno;
        if (put == 0) return ENOSPC;
        done += static_cast<std::size_t>(put);
    }
    return 0;
}

/// Bytes of a file that find_cached() looks at.
constexpr std::int64_t looked_at_once = std::int64_t{1} << 24;
constexpr std::size_t memory_page_bytes = 4096;

/// EBUSY when some of the range is in memory; another errno when that cannot be known, or 0.
int find_cached(int fd, std::int64_t offset, std::size_t bytes) noexcept {
    std::array<unsigned char, std::size_t{looked_at_once} / memory_page_bytes> in_memory;
    void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, offset);
    if (address == MAP_FAILED) return errno;
    int error = code_of(mincore(address, bytes, in_memory.data()));
    munmap(address, bytes);
    const std::size_t pages = (bytes + memory_page_bytes - 1) / memory_page_bytes;
    for (std::size_t page = 0; page < pages && error == 0; ++page) {
        if ((in_memory[page] & 1U) != 0) error = EBUSY;
    }
    return error;
}

using folder_name = std::array<char, PATH_MAX>;

/// The folder that the file is in; an errno, or 0.
int name_folder_of(const char* path, folder_name& folder) noexcept {
    const char* slash = std::strrchr(path, '/');
    folder = {'.'};
    if (slash == nullptr) return 0;
    const auto length = slash == path ? 1 : static_cast<std::size_t>(slash - path);
    if (length >= folder.size()) return ENAMETOOLONG;
    std::memcpy(folder.data(), path, length);
    folder[length] = '\0';
    return 0;
}

int sync_folder(const char* path) noexcept {
    folder_name folder;
    if (const int error = name_folder_of(path, folder)) return error;
    const int fd =
        repeat_when_cut([&] { return open(folder.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return errno;
    const int error = code_of(fsync(fd));
    close(fd);
    return error;
}

}  // namespace

open_result open_file(const char* path, int flags, unsigned mode) noexcept {
    int fd = repeat_when_cut([&] { return open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode); });
    if (fd >= 0 && fd < first_fd) {
        const int moved = fcntl(fd, F_DUPFD_CLOEXEC, first_fd);
        const int error = errno;
        close(fd);
        fd = moved;
        errno = error;
    }
    if (fd >= 0) process::note_opened(fd);
    return {fd, fd < 0 ? errno : 0};
}

void close_file(int fd) noexcept {
    if (fd >= 0 && process::note_closed(fd)) close_descriptor(fd);
}

void close_descriptor(int fd) noexcept {
    close(fd);  // not repeated: Linux has closed it even when a signal cut the call
}

std::ptrdiff_t read_at(int fd, void* target, std::size_t bytes, std::int64_t offset) noexcept {
    std::size_t done = 0;
    while (done < bytes) {
        const auto got = repeat_when_cut([&] {
            return pread(fd, static_cast<char*>(target) + done, bytes - done,
                         offset + static_cast<std::int64_t>(done));
        });
        if (got < 0) return -1;
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return static_cast<std::ptrdiff_t>(done);
}

int write_at(int fd, const void* source, std::size_t bytes, std::int64_t offset) noexcept {
    const io_event event{io_event::kind::write, fd, nullptr, source, bytes, offset};
    return io_interceptor::watch(event, [&] { return write_all(fd, source, bytes, offset); });
}

std::int64_t size_of(int fd) noexcept {
    struct stat status{};
    return fstat(fd, &status) == 0 ? status.st_size : -1;
}

int truncate_to(int fd, std::int64_t bytes) noexcept {
    const io_event event{.what = io_event::kind::truncate, .fd = fd, .offset = bytes};
    return io_interceptor::watch(
        event, [&] { return code_of(repeat_when_cut([&] { return ftruncate(fd, bytes); })); });
}

int extend_to(int fd, std::int64_t bytes) noexcept {
    const std::int64_t now = size_of(fd);
    if (now < 0) return errno;
    if (now >= bytes) return 0;
    return code_of(repeat_when_cut([&] { return fallocate(fd, 0, now, bytes - now); }));
}

int sync_data(int fd) noexcept {
    const io_event event{.what = io_event::kind::sync, .fd = fd};
    return io_interceptor::watch(event, [&] { return code_of(fdatasync(fd)); });
}

int sync_directory_of(const char* path) noexcept {
    const io_event event{.what = io_event::kind::sync_directory, .path = path};
    return io_interceptor::watch(event, [&] { return sync_folder(path); });
}

int drop_cached(int fd) noexcept {
    struct statfs system{};
    if (fstatfs(fd, &system) != 0) return errno;
    const auto kind = static_cast<unsigned long>(system.f_type) & 0xffffffffUL;
    if (kind == TMPFS_MAGIC) return 0;
    if (const int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) return error;
    const std::int64_t size = size_of(fd);
    for (std::int64_t offset = 0; offset < size; offset += looked_at_once) {
        const auto bytes = static_cast<std::size_t>(std::min(size - offset, looked_at_once));
        if (const int error = find_cached(fd, offset, bytes)) return error;
    }
    return size < 0 ? EIO : 0;
}

bool exists(const char* path) noexcept {
    struct stat status{};
    return lstat(path, &status) == 0;
}

void remove_file(const char* path) noexcept {
    unlink(path);
}

file_id id_of(int fd) noexcept {
    struct stat status{};
    if (fstat(fd, &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

file_id id_of(const char* path) noexcept {
    struct stat status{};
    if (stat(path, &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

unsigned mode_of(int fd) noexcept {
    struct stat status{};
    constexpr unsigned usual = 0644;
    return fstat(fd, &status) == 0 ? status.st_mode & 0777U : usual;
}

bool has_name(int fd) noexcept {
    struct stat status{};
    return fstat(fd, &status) != 0 || status.st_nlink > 0;
}

void give_owner_of(int fd, int like) noexcept {
    struct stat model{};
    struct stat given{};
    if (fstat(like, &model) != 0 || fstat(fd, &given) != 0) return;
    const auto mode = model.st_mode & 0777U;
    if (given.st_size == 0 && (given.st_mode & 0777U) != mode) {
        static_cast<void>(fchmod(fd, mode) == 0);
    }
    if (geteuid() == 0) static_cast<void>(fchown(fd, model.st_uid, model.st_gid) == 0);
}

bool may_not_be_written(const char* path) noexcept {
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && (errno == EACCES || errno == EROFS);
}

int lock_range(int fd, lock_kind kind, std::int64_t start, std::int64_t length) noexcept {
    const short type = kind == lock_kind::none     ? F_UNLCK
                       : kind == lock_kind::shared ? F_RDLCK
                                                   : F_WRLCK;
    auto range = range_of(type, start, length);
    return code_of(repeat_when_cut([&] { return fcntl(fd, F_OFD_SETLK, &range); }));
}

int lock_held_by_others(int fd, std::int64_t start, std::int64_t length) noexcept {
    auto range = range_of(F_WRLCK, start, length);
    if (repeat_when_cut([&] { return fcntl(fd, F_OFD_GETLK, &range); }) < 0) return -1;
    return static_cast<int>(range.l_type == F_UNLCK   ? lock_kind::none
                            : range.l_type == F_RDLCK ? lock_kind::shared
                                                      : lock_kind::exclusive);
}

void* map_shared(int fd, std::size_t bytes, std::int64_t offset, bool writable) noexcept {
    void* address =
        mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, offset);
    return address == MAP_FAILED ? nullptr : address;
}

void unmap(void* address, std::size_t bytes) noexcept {
    if (address != nullptr) munmap(address, bytes);
}

bool is_on_known_file_system(const char* path) noexcept {
    struct statfs status{};
    if (statfs(path, &status) != 0) {
        folder_name folder;
        if (errno != ENOENT || name_folder_of(path, folder) != 0) return false;
        if (statfs(folder.data(), &status) != 0) return false;
    }
    switch (static_cast<unsigned long>(status.f_type) & 0xffffffffUL) {
        case EXT4_SUPER_MAGIC:
        case BTRFS_SUPER_MAGIC:
        case TMPFS_MAGIC:
        case xfs_magic:
        case f2fs_magic:
            return true;
        default:
            return false;
    }
}

bool may_write(const char* path) noexcept {
    return access(path, W_OK) == 0;
}

void sleep_while(const std::atomic<std::uint32_t>& word,
                 std::uint32_t expected,
                 std::chrono::steady_clock::time_point until) noexcept {
    using namespace std::chrono;
    const auto left = until - steady_clock::now();
    if (left <= nanoseconds(0)) return;
    const bool forever = until == steady_clock::time_point::max();
    const auto whole = duration_cast<seconds>(left);
    const timespec pause{whole.count(), duration_cast<nanoseconds>(left - whole).count()};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, forever ? nullptr : &pause, nullptr, 0);
}

void wake_one(const std::atomic<std::uint32_t>* word) noexcept {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void yield_processor() noexcept {
    sched_yield();
}

int processors() noexcept {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

void on_fork(void (*after_fork)()) noexcept {
    pthread_atfork(nullptr, nullptr, after_fork);
}

}  // namespace skiff::vfs::os
