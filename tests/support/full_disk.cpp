// Mount namespaces, so that nothing is left mounted when a test dies.
#include "support/full_disk.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skiff_test {

namespace {

constexpr const char* ballast = "ballast";

/// Mounts of this process are its own from here on. Done once; empty when it worked.
std::string own_mounts() {
    static const std::string problem = [] {
        if (::unshare(CLONE_NEWNS) != 0) return std::string("unshare: ") + std::strerror(errno);
        if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            return std::string("private mounts: ") + std::strerror(errno);
        }
        return std::string();
    }();
    return problem;
}

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

small_disk::small_disk(std::filesystem::path folder, std::size_t bytes)
    : folder_(std::move(folder)), problem_(own_mounts()) {
    if (!problem_.empty()) return;
    std::filesystem::create_directories(folder_);
    const std::string size = "size=" + std::to_string(bytes);
    if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, size.c_str()) != 0) {
        problem_ = std::string("mount: ") + std::strerror(errno);
    }
}

small_disk::~small_disk() {
    // Lazily: a test that failed may leave a file open, and the folder must still go.
    if (problem_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
}

std::size_t small_disk::free_bytes() const {
    struct statvfs figures{};
    if (::statvfs(folder_.c_str(), &figures) != 0) fail("statvfs");
    return static_cast<std::size_t>(figures.f_bavail) * figures.f_frsize;
}

void small_disk::fill(std::size_t leave) {
    const std::size_t free = free_bytes();
    if (free <= leave) return;
    const int fd = ::open((folder_ / ballast).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) fail("open ballast");
    const int failed = ::posix_fallocate(fd, 0, static_cast<off_t>(free - leave));
    ::close(fd);
    if (failed != 0) {
        errno = failed;
        fail("fill the disk");
    }
}

void small_disk::release() {
    std::filesystem::remove(folder_ / ballast);
}

void limit_file_size(std::size_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limits{};
    if (::getrlimit(RLIMIT_FSIZE, &limits) != 0) fail("getrlimit");
    limits.rlim_cur = bytes < limits.rlim_max ? bytes : limits.rlim_max;
    if (::setrlimit(RLIMIT_FSIZE, &limits) != 0) fail("setrlimit");
}

}  // namespace skiff_test
