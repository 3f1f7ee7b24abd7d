// Loop devices are taken with AUTOCLEAR: they go when the file system is unmounted.
#include "crash/failing_disk.hpp"

#include "support/child_process.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

namespace skiff_test {

namespace {

constexpr off_t image_bytes = off_t{128} << 20;
constexpr off_t reserved_bytes = off_t{24} << 20;
constexpr std::size_t backing_bytes = std::size_t{64} << 20;

std::string problem_of(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

std::string make_image(const std::filesystem::path& image, failing_disk::journal kind) {
    const int fd = ::open(image.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const bool made = fd >= 0 && ::ftruncate(fd, image_bytes) == 0 &&
                      ::posix_fallocate(fd, 0, reserved_bytes) == 0;
    ::close(fd);
    if (!made) return problem_of("image");
    const auto run = run_in_child([&]() -> std::string {
        const char* features = kind == failing_disk::journal::with ? "has_journal" : "^has_journal";
        ::execlp("mkfs.ext4", "mkfs.ext4", "-q", "-b", "4096", "-O", features, "-E",
                 "nodiscard,lazy_itable_init=0,lazy_journal_init=0", image.c_str(), nullptr);
        return "none";
    });
    return run.exit_code == 0 && run.answer.empty() ? "" : "no mkfs.ext4";
}

/// Another process may take the free device first.
std::string mount_image(const std::filesystem::path& image, const std::filesystem::path& at) {
    std::filesystem::create_directories(at);
    const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0) return problem_of("/dev/loop-control");
    std::string problem = "no loop device";
    for (int attempt = 0; attempt < 5 && !problem.empty(); ++attempt) {
        const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
        const std::string device = "/dev/loop" + std::to_string(number);
        const int loop = ::open(device.c_str(), O_RDWR | O_CLOEXEC);
        const int file = ::open(image.c_str(), O_RDWR | O_CLOEXEC);
        struct loop_config wanted{};
        wanted.fd = static_cast<__u32>(file);
        wanted.info.lo_flags = LO_FLAGS_AUTOCLEAR;
        if (loop < 0 || file < 0 || ::ioctl(loop, LOOP_CONFIGURE, &wanted) != 0) {
            problem = problem_of(device);
        } else {
            const int done = ::mount(device.c_str(), at.c_str(), "ext4", 0, "nodiscard");
            problem = done == 0 ? "" : problem_of("mount");
        }
        ::close(file);
        ::close(loop);
    }
    ::close(control);
    return problem;
}

}  // namespace

failing_disk::failing_disk(const std::filesystem::path& folder, journal kind)
    : image_(folder / "backing" / "image"),
      mounted_(folder / "mounted"),
      backing_(folder / "backing", backing_bytes),
      problem_(backing_.problem()) {
    if (problem_.empty()) problem_ = make_image(image_, kind);
    if (problem_.empty()) problem_ = mount_image(image_, mounted_);
}

failing_disk::~failing_disk() {
    if (!copy_mounted_.empty()) ::umount2(copy_mounted_.c_str(), MNT_DETACH);
    if (problem_.empty()) ::umount2(mounted_.c_str(), MNT_DETACH);
}

std::string failing_disk::mount_copy(const std::filesystem::path& at) {
    const auto copy = image_.parent_path().parent_path() / "copy";
    std::filesystem::copy_file(image_, copy);
    auto problem = mount_image(copy, at);
    if (problem.empty()) copy_mounted_ = at;
    return problem;
}

}  // namespace skiff_test
