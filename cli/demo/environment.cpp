// Linux's names for file systems (linux/magic.h), and a sync timed as databases do it.
#include "demo/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <sys/vfs.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace skiff_cli {

namespace {

struct known_file_system {
    std::uint32_t magic;
    const char* name;
};

constexpr std::uint32_t tmpfs_magic = 0x01021994;
constexpr std::uint32_t ramfs_magic = 0x858458F6;
constexpr std::uint32_t overlay_magic = 0x794C7630;

constexpr known_file_system known_file_systems[] = {
    {0xEF53, "ext4"},         {0x58465342, "xfs"},        {0x9123683E, "btrfs"},
    {0x2FC12FC1, "zfs"},      {0xF2F52010, "f2fs"},       {tmpfs_magic, "tmpfs"},
    {ramfs_magic, "ramfs"},   {overlay_magic, "overlay"}, {0x6969, "nfs"},
    {0x01021997, "9p"},       {0x65735546, "fuse"},       {0xFF534D42, "cifs"},
    {0xCA451A4E, "bcachefs"},
};

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// A file without a name beside the others: gone when it is closed, whatever happens.
class nameless_file {
  public:
    explicit nameless_file(const std::filesystem::path& folder) {
        std::string name = (folder / "skiff-demo-sync-XXXXXX").string();
        fd_ = ::mkostemp(name.data(), O_CLOEXEC);
        if (fd_ < 0) fail(folder.string());
        // If this fails the file stays, empty: no reason to stop.
        static_cast<void>(::unlink(name.c_str()));
    }
    ~nameless_file() { ::close(fd_); }
    nameless_file(const nameless_file&) = delete;
    nameless_file& operator=(const nameless_file&) = delete;

    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_ = -1;
};

std::chrono::nanoseconds median_sync(const std::filesystem::path& folder) {
    constexpr int rounds = 31;
    const nameless_file file(folder);
    const std::array<char, 4096> page{};
    std::vector<std::chrono::nanoseconds> times;
    for (int round = 0; round < rounds; ++round) {
        const auto begun = std::chrono::steady_clock::now();
        const auto offset = static_cast<off_t>(page.size()) * round;
        if (::pwrite(file.fd(), page.data(), page.size(), offset) < 0) fail(folder.string());
        if (::fdatasync(file.fd()) != 0) fail(folder.string());
        times.push_back(std::chrono::steady_clock::now() - begun);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[rounds / 2];
}

unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<unsigned>(CPU_COUNT(&set));
}

}  // namespace

machine look_at_machine(const std::filesystem::path& folder) {
    struct statfs status{};
    if (::statfs(folder.c_str(), &status) != 0) fail(folder.string());
    const auto magic = static_cast<std::uint32_t>(status.f_type);
    machine found;
    found.file_system = fmt::format("file system {:#x}", magic);
    for (const auto& known : known_file_systems) {
        if (known.magic == magic) found.file_system = known.name;
    }
    found.keeps_nothing = magic == tmpfs_magic || magic == ramfs_magic;
    found.is_layered = magic == overlay_magic;
    found.cores = usable_cores();
    found.sync = median_sync(folder);
    return found;
}

std::string durability_caveat(const machine& where) {
    if (where.keeps_nothing) {
        return where.file_system +
               " is memory: nothing is kept there, so the figures for durable rows mean little";
    }
    if (where.is_layered) {
        return where.file_system +
               " hides the disk below it, so the figures for durable rows may mean little";
    }
    return {};
}

}  // namespace skiff_cli
