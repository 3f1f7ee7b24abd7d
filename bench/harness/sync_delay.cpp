// The program's own fsync and fdatasync come before the C library's, for all code linked into it.
#include "harness/sync_delay.hpp"

#include <atomic>
#include <charconv>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<long> delay_us{0};

int wait_after(long result) noexcept {
    const long delay = delay_us.load(std::memory_order_relaxed);
    if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
    return static_cast<int>(result);
}

}  // namespace

extern "C" int fsync(int fd) {
    return wait_after(::syscall(SYS_fsync, fd));
}

extern "C" int fdatasync(int fd) {
    return wait_after(::syscall(SYS_fdatasync, fd));
}

namespace skiff_bench {

void set_sync_delay(std::chrono::microseconds delay) noexcept {
    delay_us = delay.count();
}

std::chrono::microseconds parse_delay(std::string_view text) {
    long count = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, count);
    const std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
    if (parsed.ec == std::errc{} && count >= 0) {
        if (unit == "us") return std::chrono::microseconds(count);
        if (unit == "ms") return std::chrono::milliseconds(count);
    }
    throw std::invalid_argument("a delay is a number with us or ms, as 800us");
}

}  // namespace skiff_bench
