// Linux tells most of it in /proc.
#include "harness/environment.hpp"

#include <skiff/version.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <linux/magic.h>
#include <string>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <thread>
#include <unistd.h>
#include <vector>

#ifndef SKIFF_BENCH_COMMIT
#define SKIFF_BENCH_COMMIT "unknown"
#endif

namespace skiff_bench {

namespace {

using clock = std::chrono::steady_clock;

constexpr int rounds = 51;

template <class Call>
double median_us(Call&& call) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const auto start = clock::now();
        call(round);
        times.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[rounds / 2];
}

/// Writing 4 KiB over bytes that exist, and waiting for the disk.
double sync_us(const std::filesystem::path& folder) {
    std::string name = (folder / "sync-XXXXXX").string();
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return 0;
    ::unlink(name.c_str());
    const std::vector<char> all(std::size_t{4096} * rounds);
    bool works = ::pwrite(fd, all.data(), all.size(), 0) > 0 && ::fsync(fd) == 0;
    const double found = median_us([&](int round) {
        works = works && ::pwrite(fd, all.data(), 4096, off_t{4096} * round) == 4096 &&
                ::fdatasync(fd) == 0;
    });
    ::close(fd);
    return works ? found : 0;
}

double system_call_ns() {
    constexpr int calls = 1000;
    return median_us([](int) {
               for (int i = 0; i < calls; ++i) ::syscall(SYS_getppid);
           }) *
           1000 / calls;
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "unknown";
}

std::string file_system_of(const std::filesystem::path& folder) {
    struct statfs status{};
    if (::statfs(folder.c_str(), &status) != 0) return "unknown";
    switch (static_cast<unsigned long>(status.f_type) & 0xffffffffUL) {
        case EXT4_SUPER_MAGIC:
            return "ext4";
        case 0x58465342:
            return "xfs";
        case BTRFS_SUPER_MAGIC:
            return "btrfs";
        case TMPFS_MAGIC:
            return "tmpfs";
        case RAMFS_MAGIC:
            return "ramfs";
        case OVERLAYFS_SUPER_MAGIC:
            return "overlay";
        default:
            return "number " + std::to_string(status.f_type);
    }
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::array<char, 32> text{};
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
    return text.data();
}

}  // namespace

nlohmann::json look_at_environment(const std::filesystem::path& folder) {
    std::array<double, 3> load{};
    ::getloadavg(load.data(), 3);
    utsname system{};
    ::uname(&system);
    return {{"date", today()},
            {"commit", SKIFF_BENCH_COMMIT},
            {"compiler", __VERSION__},
            {"skiff", skiff::library_version()},
            {"sqlite", skiff::sqlite_version()},
            {"processor", processor_name()},
            {"cores", std::thread::hardware_concurrency()},
            {"kernel", system.release},
            {"file_system", file_system_of(folder)},
            {"sync_us", sync_us(folder)},
            {"system_call_ns", system_call_ns()},
            {"load", load[0]}};
}

bool keeps_nothing(const std::filesystem::path& folder) {
    const auto found = file_system_of(folder);
    return found == "tmpfs" || found == "ramfs";
}

}  // namespace skiff_bench
