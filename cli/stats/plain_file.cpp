// open, pread, close.
#include "stats/plain_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace skiff_cli {

plain_file::plain_file(const std::filesystem::path& path) noexcept
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), error_(fd_ < 0 ? errno : 0) {}

plain_file::~plain_file() {
    if (fd_ >= 0) ::close(fd_);
}

std::size_t plain_file::read_at(off_t offset, std::span<std::byte> target) const noexcept {
    const auto got = ::pread(fd_, target.data(), target.size(), offset);
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::uint32_t big_endian(std::span<const std::byte> content, std::size_t offset) noexcept {
    std::uint32_t number = 0;
    for (std::size_t at = offset; at < offset + 4; ++at) {
        number = number << 8 | std::to_integer<std::uint32_t>(content[at]);
    }
    return number;
}

}  // namespace skiff_cli
