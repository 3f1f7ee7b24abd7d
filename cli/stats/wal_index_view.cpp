// Both copies of the header must agree and bear their checksum: that is SQLite's own test, too.
#include "stats/wal_index_view.hpp"

#include "stats/plain_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <thread>

namespace skiff_cli {

namespace {

constexpr int attempts_max = 50;
constexpr std::uint32_t format_version = 3007000;
constexpr std::size_t header_bytes = 48;
constexpr std::size_t checksum_at = 40;
constexpr off_t lock_bytes_at = 120;

/// The wal-index is in the byte order of the machine.
template <class Number>
Number native(std::span<const std::byte> content, std::size_t offset) {
    Number number{};
    std::memcpy(&number, content.data() + offset, sizeof number);
    return number;
}

bool checksum_holds(std::span<const std::byte> header) {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    for (std::size_t at = 0; at < checksum_at; at += 8) {
        first += native<std::uint32_t>(header, at) + second;
        second += native<std::uint32_t>(header, at + 4) + first;
    }
    return native<std::uint32_t>(header, checksum_at) == first &&
           native<std::uint32_t>(header, checksum_at + 4) == second;
}

bool header_holds(std::span<const std::byte> content) {
    const auto header = content.first(header_bytes);
    return std::memcmp(content.data(), content.data() + header_bytes, header_bytes) == 0 &&
           native<std::uint32_t>(header, 0) == format_version &&
           native<std::uint8_t>(header, 12) != 0 && checksum_holds(header);
}

void ask_for_locks(const plain_file& file, wal_index_look& seen) {
    for (std::size_t slot = 0; slot < wal_index_look::slots; ++slot) {
        struct flock range{};
        range.l_type = F_WRLCK;
        range.l_whence = SEEK_SET;
        range.l_start = lock_bytes_at + static_cast<off_t>(slot);
        range.l_len = 1;
        if (::fcntl(file.fd(), F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK) continue;
        const bool exclusive = range.l_type == F_WRLCK;
        seen.uses[slot] = exclusive ? slot_use::exclusive : slot_use::shared;
        const off_t end = range.l_start + range.l_len;
        const auto all = lock_bytes_at + static_cast<off_t>(wal_index_look::slots);
        if (exclusive && range.l_start <= lock_bytes_at && (range.l_len == 0 || end >= all)) {
            seen.alone = true;
        }
    }
}

}  // namespace

std::optional<wal_index_view> parse_wal_index(std::span<const std::byte> content) {
    if (content.size() < wal_index_view::bytes || !header_holds(content)) return std::nullopt;
    wal_index_view view;
    view.page_size = native<std::uint16_t>(content, 14);
    if (view.page_size == 1) view.page_size = 65536;
    view.frames = native<std::uint32_t>(content, 16);
    view.database_pages = native<std::uint32_t>(content, 20);
    // The salts are copied from the log as they are: big-endian.
    view.salts = {big_endian(content, 32), big_endian(content, 36)};
    view.copied = native<std::uint32_t>(content, 96);
    for (std::size_t mark = 0; mark < wal_index_view::marks; ++mark) {
        view.read_marks[mark] = native<std::uint32_t>(content, 100 + 4 * mark);
    }
    view.copy_attempted = native<std::uint32_t>(content, 128);
    if (view.copied > view.frames) return std::nullopt;  // the log began anew meanwhile
    return view;
}

wal_index_look look_at_wal_index(const std::filesystem::path& shm) {
    wal_index_look seen;
    const plain_file file(shm);
    seen.exists = file.is_open() || file.error() != ENOENT;
    if (!file.is_open()) return seen;
    for (int attempt = 0; attempt < attempts_max && !seen.view; ++attempt) {
        std::array<std::byte, wal_index_view::bytes> content{};
        seen.view = parse_wal_index(std::span(content).first(file.read_at(0, content)));
        if (!seen.view) std::this_thread::yield();
    }
    ask_for_locks(file, seen);
    return seen;
}

}  // namespace skiff_cli
