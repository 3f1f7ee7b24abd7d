// The window is never moved: pointers into it stay good as long as it lives.
#include "vfs/file_map.hpp"

#include "vfs/os.hpp"

#include <algorithm>

namespace skiff::vfs {

namespace {

constexpr std::size_t window_min = std::size_t{1} << 26;

}  // namespace

file_map::~file_map() {
    os::unmap(const_cast<std::byte*>(base_.load()), window_);
}

bool file_map::open(int fd, std::size_t window_bytes) noexcept {
    for (window_ = window_bytes; window_ >= window_min; window_ /= 4) {
        if (auto* address = static_cast<std::byte*>(os::map_shared(fd, window_, 0, false))) {
            base_.store(address, std::memory_order_release);
            return true;
        }
    }
    return false;
}

const std::byte* file_map::find_again(int fd, std::int64_t offset, std::size_t bytes) noexcept {
    if (!is_open()) return nullptr;
    const std::int64_t size = os::size_of(fd);
    if (size < 0) return nullptr;
    note_size(size);
    return find(offset, bytes);
}

void file_map::note_size(std::int64_t bytes) noexcept {
    if (!is_open()) return;
    readable_.store(std::min(bytes, static_cast<std::int64_t>(window_)), std::memory_order_release);
}

void file_map::note_end(std::int64_t bytes) noexcept {
    auto known = readable_.load(std::memory_order_acquire);
    while (bytes < known && !readable_.compare_exchange_weak(known, bytes)) {
    }
}

}  // namespace skiff::vfs
