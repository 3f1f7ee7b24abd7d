// The header on the disk is that of the last checkpoint: newer figures are in the log.
#include "stats/database_look.hpp"

#include "stats/plain_file.hpp"

#include <skiff/error.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace skiff_cli {

namespace {

/// How many frames of the log are searched for the newest first page.
constexpr std::uint32_t frames_searched_max = 65536;
constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;

[[noreturn]] void refuse(skiff::errc code,
                         int system_errno,
                         std::string message,
                         const std::filesystem::path& path) {
    skiff::throw_error({.code = code,
                        .system_errno = system_errno,
                        .message = std::move(message),
                        .operation = "open",
                        .object = path.string()});
}

std::optional<std::uint64_t> size_of(const std::filesystem::path& path) {
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(path, absent);
    if (absent) return std::nullopt;
    return bytes;
}

std::filesystem::path beside(const std::filesystem::path& database, const char* suffix) {
    return database.native() + suffix;
}

void read_header(database_look& seen, const std::filesystem::path& given) {
    const plain_file file(seen.path);
    if (!file.is_open()) {
        refuse(skiff::errc::cannot_open, file.error(), std::strerror(file.error()), given);
    }
    std::array<std::byte, file_header::bytes> content{};
    const auto got = file.read_at(0, content);
    if (got == 0 && seen.bytes == 0) return;
    const auto header = parse_file_header(std::span(content).first(got));
    if (!header) refuse(skiff::errc::not_a_database, 0, "this is no SQLite database", given);
    seen.journal = header->journal;
    seen.page_size = header->page_size;
    seen.pages = header->pages != 0 ? header->pages : seen.bytes / header->page_size;
    seen.free_pages = header->free_pages;
}

struct frame_search {
    const plain_file& log;
    const wal_index_view& index;
};

/// The newest copy of the first page in the part of the log that is not in the database yet.
std::optional<file_header> first_page_in(const frame_search& search, std::uint32_t down_to) {
    const auto& index = search.index;
    const std::size_t stride = frame_header_bytes + index.page_size;
    for (std::uint32_t frame = index.frames; frame > down_to; --frame) {
        const auto offset = static_cast<off_t>(log_header_bytes + (frame - 1) * stride);
        std::array<std::byte, frame_header_bytes + file_header::bytes> content{};
        const auto head = std::span(content).first(frame_header_bytes);
        if (search.log.read_at(offset, head) != head.size()) return std::nullopt;
        if (big_endian(head, 0) != 1) continue;
        const auto got = search.log.read_at(offset, content);
        const bool same = index.salts == wal_salts{big_endian(head, 8), big_endian(head, 12)};
        if (got != content.size() || !same) return std::nullopt;
        return parse_file_header(std::span(content).subspan(frame_header_bytes));
    }
    return std::nullopt;
}

/// What the log says is newer than what the file says.
void read_log(database_look& seen) {
    const auto& index = seen.index.view;
    if (!index || index->frames == 0) return;
    seen.page_size = index->page_size;
    seen.pages = index->database_pages;
    if (index->copied == index->frames) return;
    const plain_file log(beside(seen.path, "-wal"));
    const bool searched_all = index->frames - index->copied <= frames_searched_max;
    const auto down_to = searched_all ? index->copied : index->frames - frames_searched_max;
    const auto header = log.is_open() ? first_page_in({log, *index}, down_to) : std::nullopt;
    if (header) seen.free_pages = header->free_pages;
    if (!header && !searched_all) seen.free_pages.reset();
}

}  // namespace

std::optional<file_header> parse_file_header(std::span<const std::byte> content) {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    if (content.size() < file_header::bytes) return std::nullopt;
    if (std::memcmp(content.data(), magic.data(), magic.size()) != 0) return std::nullopt;
    file_header header;
    header.page_size = big_endian(content, 14) & 0xffffU;  // bytes 16 and 17
    if (header.page_size == 1) header.page_size = 65536;
    const bool power_of_two = (header.page_size & (header.page_size - 1)) == 0;
    if (header.page_size < 512 || !power_of_two) return std::nullopt;
    const auto version = std::to_integer<int>(content[19]);
    header.journal = version == 2 ? journal_kind::wal : journal_kind::rollback;
    // The size counts only when the program that wrote last kept it.
    if (big_endian(content, 24) == big_endian(content, 92)) header.pages = big_endian(content, 28);
    header.free_pages = big_endian(content, 36);
    return header;
}

std::uint64_t database_look::log_bytes_used() const noexcept {
    if (!index.view) return wal_bytes.value_or(0);
    if (index.view->frames == 0) return 0;
    const std::uint64_t stride = frame_header_bytes + index.view->page_size;
    return log_header_bytes + index.view->frames * stride;
}

std::optional<std::size_t> database_look::oldest_mark_in_use() const noexcept {
    if (!index.view || index.alone) return std::nullopt;
    std::optional<std::size_t> oldest;
    for (std::size_t mark = 0; mark < wal_index_view::marks; ++mark) {
        if (index.uses[wal_index_look::read + mark] != slot_use::shared) continue;
        const auto& marks = index.view->read_marks;
        if (!oldest || marks[mark] < marks[*oldest]) oldest = mark;
    }
    return oldest;
}

database_look look_at_database(const std::filesystem::path& path) {
    std::error_code wrong;
    database_look seen;
    seen.when = std::chrono::steady_clock::now();
    seen.path = std::filesystem::canonical(path, wrong);
    if (wrong) refuse(skiff::errc::cannot_open, wrong.value(), wrong.message(), path);
    if (std::filesystem::is_directory(seen.path, wrong)) {
        refuse(skiff::errc::cannot_open, EISDIR, "this is a directory, not a database file", path);
    }
    seen.bytes = size_of(seen.path).value_or(0);
    read_header(seen, path);
    seen.wal_bytes = size_of(beside(seen.path, "-wal"));
    seen.index = look_at_wal_index(beside(seen.path, "-shm"));
    if (seen.journal == journal_kind::wal) read_log(seen);
    seen.unsynced = size_of(beside(seen.path, "-unsynced")).has_value();
    seen.why_not_skiff = why_not_skiff(seen.path);
    seen.holders = find_holders(seen.path);
    return seen;
}

}  // namespace skiff_cli
