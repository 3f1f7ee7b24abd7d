// The wal-index (the -shm file) as somebody sees it who only looks: read with plain reads, never
// mapped, locked or made. The layout is the one of sqlite.org/walformat.html.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace skiff_cli {

struct wal_salts {
    std::uint32_t first = 0;  ///< one more each time the log begins anew
    std::uint32_t second = 0;
    friend bool operator==(const wal_salts&, const wal_salts&) = default;
};

/// The figures of a wal-index that is in order.
struct wal_index_view {
    static constexpr std::size_t bytes = 136;
    static constexpr std::size_t marks = 5;
    static constexpr std::uint32_t mark_unused = 0xffffffff;

    std::uint32_t page_size = 0;
    std::uint32_t frames = 0;          ///< mxFrame: the last committed frame
    std::uint32_t database_pages = 0;  ///< after the last commit
    std::uint32_t copied = 0;          ///< nBackfill: frames that are in the database, too
    std::uint32_t copy_attempted = 0;  ///< nBackfillAttempted
    wal_salts salts;
    std::array<std::uint32_t, marks> read_marks{};
};

/// Nothing when the bytes are too few, the two header copies differ, the checksum is wrong, or the
/// index was never filled.
[[nodiscard]] std::optional<wal_index_view> parse_wal_index(std::span<const std::byte> content);

/// What somebody holds of a lock byte.
enum class slot_use { free, shared, exclusive };

/// One look at the -shm file.
struct wal_index_look {
    static constexpr std::size_t slots = 8;
    /// The lock bytes, by number: those before `read` are for one holder each.
    enum slot : std::size_t { write, checkpoint, recover, read };

    bool exists = false;
    std::optional<wal_index_view> view;  ///< nothing when it stayed unreadable
    std::array<slot_use, slots> uses{};  ///< asked of the kernel, whoever the holders are
    bool alone = false;                  ///< one exclusive lock covers all of them
};

/// Reads the file called `shm`; one that changes meanwhile is read again, attempts_max times.
[[nodiscard]] wal_index_look look_at_wal_index(const std::filesystem::path& shm);

}  // namespace skiff_cli
