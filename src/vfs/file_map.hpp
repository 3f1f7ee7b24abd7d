// A window on a file that grows: mapped once, far beyond its end, and readable up to the size that
// the file was last seen to have. Reading is a comparison and a pointer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skiff::vfs {

/// Thread-safe, but open() once. Somebody who makes the file shorter than a page that SQLite may
/// still read brings SIGBUS to whoever reads it: no SQLite does.
class file_map {
  public:
    file_map() = default;
    ~file_map();
    file_map(const file_map&) = delete;
    file_map& operator=(const file_map&) = delete;

    /// Maps up to `window_bytes`, or less where the address space is bounded. False when nothing
    /// could be mapped: then nothing is ever found.
    bool open(int fd, std::size_t window_bytes) noexcept;
    [[nodiscard]] bool is_open() const noexcept {
        return base_.load(std::memory_order_acquire) != nullptr;
    }
    /// The bytes, or null when they are not known to be in the file.
    [[nodiscard]] const std::byte* find(std::int64_t offset, std::size_t bytes) const noexcept {
        const auto end = offset + static_cast<std::int64_t>(bytes);
        if (end > readable_.load(std::memory_order_acquire)) return nullptr;
        return base_.load(std::memory_order_relaxed) + offset;
    }
    /// The same after a look at the file's size.
    [[nodiscard]] const std::byte* find_again(int fd,
                                              std::int64_t offset,
                                              std::size_t bytes) noexcept;
    /// The file has so many bytes now.
    void note_size(std::int64_t bytes) noexcept;
    /// The file is about to have so many bytes at most.
    void note_end(std::int64_t bytes) noexcept;

  private:
    std::atomic<const std::byte*> base_{nullptr};
    std::size_t window_ = 0;
    std::atomic<std::int64_t> readable_{0};
};

}  // namespace skiff::vfs
