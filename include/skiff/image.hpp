// A whole database as bytes in memory: connection::serialize makes one, deserialize opens one.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace skiff {

/// Owns the bytes of a database file. Move-only. One thread at a time.
class image {
  public:
    image() noexcept = default;
    /// Copies bytes that the program got elsewhere.
    explicit image(std::span<const std::byte> content);
    image(image&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    image& operator=(image&& other) noexcept;
    ~image();

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

  private:
    friend class connection;
    image(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}

    std::byte* data_ = nullptr;  ///< from sqlite3_malloc64, so that SQLite can take it over
    std::size_t size_ = 0;
};

}  // namespace skiff
