// The checksum is two running sums over pairs of 32-bit words, whose byte order the magic number
// tells (sqlite.org/fileformat2.html#walformat).
#include "vfs/wal_chain.hpp"

#include "vfs/os.hpp"

#include <bit>
#include <new>
#include <span>
#include <vector>

namespace skiff::vfs {

namespace {

constexpr std::uint32_t magic = 0x377f0682;  // its last bit: words are big-endian
constexpr std::uint32_t page_bytes_min = 512;
constexpr std::uint32_t page_bytes_max = 65536;
constexpr std::size_t summed_of_header = 24;
constexpr std::size_t summed_of_frame = 8;

class running_sum {
  public:
    explicit running_sum(std::endian order) noexcept : swaps_(order != std::endian::native) {}

    void add(const std::byte* bytes, std::size_t count) noexcept {
        for (std::size_t at = 0; at < count; at += 8) {
            first_ += word(bytes + at) + second_;
            second_ += word(bytes + at + 4) + first_;
        }
    }
    /// Whether the two big-endian numbers are this sum.
    [[nodiscard]] bool is_at(const std::byte* place) const noexcept {
        return big_endian_at(place, 0) == first_ && big_endian_at(place, 4) == second_;
    }

  private:
    [[nodiscard]] std::uint32_t word(const std::byte* bytes) const noexcept {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes, sizeof(value));
        return swaps_ ? __builtin_bswap32(value) : value;
    }

    bool swaps_;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;
};

}  // namespace

bool follow_chain(int fd, wal_chain& chain) noexcept try {
    chain = {};
    std::array<std::byte, wal_header_bytes> header{};
    const auto got = os::read_at(fd, header.data(), header.size(), 0);
    if (got < 0) return false;
    if (got < wal_header_bytes || (big_endian_at(header.data(), 0) & ~1U) != magic) return true;
    const std::uint32_t page_bytes = big_endian_at(header.data(), 8);
    running_sum sum((big_endian_at(header.data(), 0) & 1U) != 0 ? std::endian::big
                                                                : std::endian::little);
    sum.add(header.data(), summed_of_header);
    if (!sum.is_at(header.data() + summed_of_header) || !std::has_single_bit(page_bytes) ||
        page_bytes < page_bytes_min || page_bytes > page_bytes_max) {
        return true;
    }
    chain.page_bytes = static_cast<int>(page_bytes);
    std::memcpy(chain.salt.data(), header.data() + 16, chain.salt.size());
    std::vector<std::byte> frame(frame_header_bytes + page_bytes);
    for (std::int64_t offset = wal_header_bytes;; offset += std::ssize(frame)) {
        const auto read = os::read_at(fd, frame.data(), frame.size(), offset);
        if (read < 0) return false;
        if (read < std::ssize(frame) || salt_of_frame(frame.data()) != chain.salt) return true;
        sum.add(frame.data(), summed_of_frame);
        sum.add(frame.data() + frame_header_bytes, page_bytes);
        if (!sum.is_at(frame.data() + 16)) return true;
        ++chain.frames;
        if (pages_after(frame.data()) != 0) chain.committed = chain.frames;
    }
} catch (const std::bad_alloc&) {
    return false;
}

}  // namespace skiff::vfs
