// The one definition of skiff::vfs::os in this executable: an object of the program itself comes
// before the library's. tests/sqlite_suite/counted_os.cpp does the same for SQLite's suite.
#include "crash/attacked_os.hpp"

#include "support/delays.hpp"

// Everything that os_linux.cpp includes, before its calls are renamed.
#include "vfs/io_interceptor.hpp"
#include "vfs/os.hpp"
#include "vfs/process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

namespace skiff_test {

namespace {

/// Plans are never destroyed: a thread may still look at the last one.
std::deque<os_attack_plan> plans;
std::atomic<const os_attack_plan*> current{nullptr};
std::atomic<int> calls_seen{0};
std::atomic<bool> has_fired{false};
std::atomic<int> torn_fd{-1};

constexpr unsigned no_delays = 0;
std::atomic<unsigned> delay_seed{no_delays};

void delay_perhaps() noexcept {
    const unsigned seed = delay_seed.load(std::memory_order_relaxed);
    if (seed == no_delays) [[likely]]
        return;
    sleep_perhaps(seed, std::chrono::milliseconds(5));
}

/// The plan when this call is the one.
const os_attack_plan* hit_by(os_call call) noexcept {
    delay_perhaps();
    const auto* plan = current.load(std::memory_order_acquire);
    if (plan == nullptr) [[likely]]
        return nullptr;
    if (plan->call != call && plan->call != os_call::any) return nullptr;
    const int number = ++calls_seen;
    if (number < plan->nth || (number > plan->nth && !plan->forever)) return nullptr;
    has_fired = true;
    if (plan->effect == os_effect::kill) ::raise(SIGKILL);
    return plan;
}

/// -1 with errno, instead of the call.
bool fails(os_call call) noexcept {
    const auto* plan = hit_by(call);
    if (plan != nullptr) errno = plan->effect == os_effect::interrupt ? EINTR : plan->error;
    return plan != nullptr;
}

/// How much of a transfer is done: all, a part, or -1 for a failure.
std::ptrdiff_t allowed(os_call call, int fd, std::size_t bytes) noexcept {
    const auto all = static_cast<std::ptrdiff_t>(bytes);
    const auto* torn_by = current.load(std::memory_order_acquire);
    int torn = fd;
    if (torn_by != nullptr && torn_fd.compare_exchange_strong(torn, -1)) {
        errno = torn_by->error;
        return -1;
    }
    const auto* plan = hit_by(call);
    if (plan == nullptr) return all;
    if (plan->effect == os_effect::shorten) return std::max<std::ptrdiff_t>(1, all / 2);
    if (plan->effect == os_effect::tear && all > 1) {
        torn_fd = fd;
        return all / 2;
    }
    errno = plan->effect == os_effect::interrupt ? EINTR : plan->error;
    return -1;
}

int open_attacked(const char* path, int flags, unsigned mode = 0) noexcept {
    return fails(os_call::open) ? -1 : ::open(path, flags, mode);
}
ssize_t pread_attacked(int fd, void* target, std::size_t bytes, off_t offset) noexcept {
    const auto some = allowed(os_call::read, fd, bytes);
    return some < 0 ? -1 : ::pread(fd, target, static_cast<std::size_t>(some), offset);
}
ssize_t pwrite_attacked(int fd, const void* source, std::size_t bytes, off_t offset) noexcept {
    const auto some = allowed(os_call::write, fd, bytes);
    return some < 0 ? -1 : ::pwrite(fd, source, static_cast<std::size_t>(some), offset);
}
int ftruncate_attacked(int fd, off_t bytes) noexcept {
    return fails(os_call::truncate) ? -1 : ::ftruncate(fd, bytes);
}
int fallocate_attacked(int fd, int mode, off_t offset, off_t bytes) noexcept {
    return fails(os_call::allocate) ? -1 : ::fallocate(fd, mode, offset, bytes);
}
int fdatasync_attacked(int fd) noexcept {
    if (fails(os_call::sync)) return -1;
    const int done = ::fdatasync(fd);
    delay_perhaps();
    return done;
}
int fsync_attacked(int fd) noexcept {
    return fails(os_call::sync_directory) ? -1 : ::fsync(fd);
}
int fstat_attacked(int fd, struct stat* status) noexcept {
    return fails(os_call::status) ? -1 : ::fstat(fd, status);
}
int unlink_attacked(const char* path) noexcept {
    return fails(os_call::unlink) ? -1 : ::unlink(path);
}
void* mmap_attacked(void* at, std::size_t bytes, int rights, int flags, int fd, off_t offset) {
    return fails(os_call::map) ? MAP_FAILED : ::mmap(at, bytes, rights, flags, fd, offset);
}
int fcntl_attacked(int fd, int command, struct flock* range) noexcept {
    const bool unlocks = range->l_type == F_UNLCK;
    const auto kind = command == F_OFD_GETLK ? os_call::find_lock
                      : unlocks              ? os_call::unlock
                                             : os_call::lock;
    return fails(kind) ? -1 : ::fcntl(fd, command, range);
}
int fcntl_attacked(int fd, int command, int argument) noexcept {
    return ::fcntl(fd, command, argument);
}
template <class... Arguments>
long syscall_attacked(Arguments... arguments) noexcept {
    delay_perhaps();
    return ::syscall(arguments...);
}

}  // namespace

os_attack::os_attack(const os_attack_plan& plan) {
    calls_seen = 0;
    has_fired = false;
    torn_fd = -1;
    plans.push_back(plan);
    current = &plans.back();
}

os_attack::~os_attack() {
    stop();
}

void os_attack::stop() noexcept {
    current = nullptr;
}

bool os_attack::fired() const noexcept {
    return has_fired;
}

os_delays::os_delays(unsigned seed) noexcept {
    delay_seed = std::max(seed, no_delays + 1);
}

os_delays::~os_delays() {
    delay_seed = no_delays;
}

const std::vector<os_fault_kind>& os_fault_kinds() {
    using enum os_call;
    static const std::vector<os_fault_kind> kinds = {
        {"open_emfile", open, os_effect::fail, EMFILE},
        {"read_eio", read, os_effect::fail, EIO},
        {"read_short", read, os_effect::shorten, 0},
        {"read_eintr", read, os_effect::interrupt, EINTR},
        {"write_eio", write, os_effect::fail, EIO},
        {"write_enospc", write, os_effect::fail, ENOSPC},
        {"write_short", write, os_effect::shorten, 0},
        {"write_torn_edquot", write, os_effect::tear, EDQUOT},
        {"write_eintr", write, os_effect::interrupt, EINTR},
        {"truncate_eio", truncate, os_effect::fail, EIO},
        {"allocate_enospc", allocate, os_effect::fail, ENOSPC},
        {"sync_eio", sync, os_effect::fail, EIO},
        {"sync_enospc", sync, os_effect::fail, ENOSPC},
        {"sync_directory_eio", sync_directory, os_effect::fail, EIO},
        {"status_eio", status, os_effect::fail, EIO},
        {"unlink_eacces", unlink, os_effect::fail, EACCES},
        {"map_enomem", map, os_effect::fail, ENOMEM},
        {"lock_enolck", lock, os_effect::fail, ENOLCK},
        {"lock_eintr", lock, os_effect::interrupt, EINTR},
        {"unlock_enolck", unlock, os_effect::fail, ENOLCK},
        {"find_lock_eio", find_lock, os_effect::fail, EIO},
        {"any_eio", any, os_effect::fail, EIO}};
    return kinds;
}

}  // namespace skiff_test

// NOLINTBEGIN
#define open skiff_test::open_attacked
#define pread skiff_test::pread_attacked
#define pwrite skiff_test::pwrite_attacked
#define ftruncate skiff_test::ftruncate_attacked
#define fallocate skiff_test::fallocate_attacked
#define fdatasync skiff_test::fdatasync_attacked
#define fsync skiff_test::fsync_attacked
#define fstat skiff_test::fstat_attacked
#define unlink skiff_test::unlink_attacked
#define mmap skiff_test::mmap_attacked
#define fcntl skiff_test::fcntl_attacked
#define syscall skiff_test::syscall_attacked
#include "vfs/os_linux.cpp"
// NOLINTEND
