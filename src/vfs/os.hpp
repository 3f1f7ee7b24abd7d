// The operating system as the VFS needs it: whole reads and writes, byte-range locks that belong to
// one open file, syncs, mappings. Calls that a signal cut are made again. One sibling file for each
// system implements it (os_linux.cpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skiff::vfs::os {

enum class lock_kind { none, shared, exclusive };

/// What an open file is: the same two numbers, the same file.
struct file_id {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const file_id&) const = default;
};

struct open_result {
    int fd = -1;  ///< -1 when it failed
    int error = 0;
};

/// Opens with O_CLOEXEC and O_NOFOLLOW, never on descriptors 0 to 2. A child after fork has it
/// closed.
open_result open_file(const char* path, int flags, unsigned mode) noexcept;
/// Closes unless a fork did; -1 is allowed.
void close_file(int fd) noexcept;
/// Only closes; for signal handlers and after fork.
void close_descriptor(int fd) noexcept;

/// Bytes read, fewer only at the end of the file; -1 with errno set on an error.
std::ptrdiff_t read_at(int fd, void* target, std::size_t bytes, std::int64_t offset) noexcept;
/// Writes all; an errno, or 0.
int write_at(int fd, const void* source, std::size_t bytes, std::int64_t offset) noexcept;
/// Size in bytes; -1 with errno set on an error.
std::int64_t size_of(int fd) noexcept;
int truncate_to(int fd, std::int64_t bytes) noexcept;
/// Reserves disk space up to `bytes` and makes the file at least so long; an errno, or 0.
int extend_to(int fd, std::int64_t bytes) noexcept;
/// Data, and the metadata needed to read it; an errno, or 0. Never repeated after an error.
int sync_data(int fd) noexcept;
/// The directory entry of the file at `path`; an errno, or 0.
int sync_directory_of(const char* path) noexcept;
/// Takes the file's pages from memory, so that reading it asks the disk; an errno, or 0. EBUSY when
/// some stay: not yet written, or mapped by somebody. Files in memory have no disk, and nothing is
/// done.
int drop_cached(int fd) noexcept;
bool exists(const char* path) noexcept;
void remove_file(const char* path) noexcept;
/// Zeros when it fails.
file_id id_of(int fd) noexcept;
file_id id_of(const char* path) noexcept;
unsigned mode_of(int fd) noexcept;
/// False when the file was deleted since it was opened.
bool has_name(int fd) noexcept;
/// Gives the file the owner of `like`, as far as this process may, and an empty one its permissions
/// too: the umask may have taken some when it was made.
void give_owner_of(int fd, int like) noexcept;
/// Whether there is a file that this process has no right to write.
bool may_not_be_written(const char* path) noexcept;

/// Locks a range for this open file (not for the process, as traditional locks are): conflicts with
/// every other open file and with every traditional lock, in this process too. Converts what the
/// open file holds there already, in one step. Does not wait: EAGAIN when somebody is in the way.
int lock_range(int fd, lock_kind kind, std::int64_t start, std::int64_t length) noexcept;
/// The strongest lock that somebody else holds in the range; -1 with errno set on an error.
int lock_held_by_others(int fd, std::int64_t start, std::int64_t length) noexcept;

/// Null when it fails, with errno set. Shared with everybody who maps or writes the file.
void* map_shared(int fd, std::size_t bytes, std::int64_t offset, bool writable) noexcept;
void unmap(void* address, std::size_t bytes) noexcept;

/// Whether the file's system keeps one file at one inode, has locks of open files, and keeps
/// mappings and writes coherent: not so on network file systems and FUSE. The file need not exist.
/// By its path: closing a descriptor of it would drop the traditional locks that SQLite's own VFS
/// has on the file in this process.
bool is_on_known_file_system(const char* path) noexcept;
/// Whether the file exists and this process may write it.
bool may_write(const char* path) noexcept;

/// Sleeps while `*word` is `expected`, until somebody wakes it or the time comes; may return early.
void sleep_while(const std::atomic<std::uint32_t>& word,
                 std::uint32_t expected,
                 std::chrono::steady_clock::time_point until) noexcept;
/// Wakes one that sleeps on the word. Only the address is used: the word may be gone.
void wake_one(const std::atomic<std::uint32_t>* word) noexcept;

/// Gives up the rest of the time slice.
void yield_processor() noexcept;
/// Processors this process may use.
int processors() noexcept;

/// Calls `after_fork` in each child process, which must do nothing but what signal handlers may.
void on_fork(void (*after_fork)()) noexcept;

}  // namespace skiff::vfs::os
