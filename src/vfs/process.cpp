// What runs in a child right after fork may use atomics and close descriptors, and nothing else.
#include "vfs/process.hpp"

#include "vfs/os.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>

namespace skiff::vfs::process {

namespace {

/// Descriptors above are not closed in children; their locks then last as long as the child.
constexpr std::size_t fds_max = 65536;
constexpr std::size_t word_bits = 64;

std::atomic<std::uint64_t> generation_now{1};
std::array<std::atomic<std::uint64_t>, fds_max / word_bits> opened{};

constexpr std::uint64_t bit_of(int fd) noexcept {
    return std::uint64_t{1} << (static_cast<std::size_t>(fd) % word_bits);
}

std::atomic<std::uint64_t>& word_of(int fd) noexcept {
    return opened[static_cast<std::size_t>(fd) / word_bits];
}

void leave_to_parent() {
    generation_now.fetch_add(1);
    for (std::size_t word = 0; word < opened.size(); ++word) {
        for (auto bits = opened[word].exchange(0); bits != 0; bits &= bits - 1) {
            os::close_descriptor(static_cast<int>(
                word * word_bits + static_cast<std::size_t>(std::countr_zero(bits))));
        }
    }
}

}  // namespace

std::uint64_t generation() noexcept {
    return generation_now.load(std::memory_order_relaxed);
}

void note_opened(int fd) noexcept {
    if (static_cast<std::size_t>(fd) < fds_max) word_of(fd).fetch_or(bit_of(fd));
}

bool note_closed(int fd) noexcept {
    if (static_cast<std::size_t>(fd) >= fds_max) return true;
    return (word_of(fd).fetch_and(~bit_of(fd)) & bit_of(fd)) != 0;
}

void watch_forks() noexcept {
    static std::once_flag once;
    std::call_once(once, [] { os::on_fork(leave_to_parent); });
}

}  // namespace skiff::vfs::process
