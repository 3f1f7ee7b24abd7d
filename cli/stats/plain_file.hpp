// A file that is only read, and the big-endian numbers in it. Closing it drops all traditional
// locks that this program has of the file: only for programs without a connection to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <sys/types.h>

namespace skiff_cli {

/// One thread at a time.
class plain_file {
  public:
    /// Opens it; makes nothing and throws nothing.
    explicit plain_file(const std::filesystem::path& path) noexcept;
    plain_file(const plain_file&) = delete;
    plain_file& operator=(const plain_file&) = delete;
    ~plain_file();

    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    /// errno of the open that failed.
    [[nodiscard]] int error() const noexcept { return error_; }
    [[nodiscard]] int fd() const noexcept { return fd_; }
    /// How many bytes were there.
    [[nodiscard]] std::size_t read_at(off_t offset, std::span<std::byte> target) const noexcept;

  private:
    int fd_;
    int error_ = 0;
};

/// The four bytes at `offset`, which must be there.
[[nodiscard]] std::uint32_t big_endian(std::span<const std::byte> content,
                                       std::size_t offset) noexcept;

}  // namespace skiff_cli
