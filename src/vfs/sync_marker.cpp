// After a failed sync the kernel takes the pages for clean: it will not write them again, and shows
// them until they are dropped. So both files are dropped from memory here, and read anew.
#include "vfs/sync_marker.hpp"

#include "vfs/mutant.hpp"
#include "vfs/os.hpp"
#include "vfs/wal_chain.hpp"

#include <sqlite3.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <string_view>

namespace skiff::vfs::sync_marker {

namespace {

constexpr unsigned usual_mode = 0644;
constexpr std::size_t text_max = 256;
// sqlite3.c: the bytes from PENDING_BYTE to the end of the shared range.
constexpr std::int64_t first_lock_byte = 0x40000000;
constexpr std::int64_t lock_bytes = 512;

/// An open descriptor, closed at the end.
class opened_file {
  public:
    opened_file(const std::string& path, int flags) noexcept
        : fd(os::open_file(path.c_str(), flags, usual_mode).fd) {}
    ~opened_file() { os::close_file(fd); }
    opened_file(const opened_file&) = delete;
    opened_file& operator=(const opened_file&) = delete;

    const int fd;
};

/// The last commit that was acknowledged. A file that cannot be understood acknowledges none.
log_position acknowledged_by(int fd) noexcept {
    std::array<char, text_max> text{};
    log_position found;
    const auto got = os::read_at(fd, text.data(), text.size() - 1, 0);
    if (got <= 0) return found;
    std::array<unsigned, sizeof(wal_salt)> salt{};
    unsigned frame = 0;
    const int fields = std::sscanf(
        text.data(), "%*[^\n] errno %*d log %2x%2x%2x%2x%2x%2x%2x%2x frame %u", salt.data(),
        &salt[1], &salt[2], &salt[3], &salt[4], &salt[5], &salt[6], &salt[7], &frame);
    if (fields != static_cast<int>(salt.size()) + 1) return found;
    for (std::size_t at = 0; at < salt.size(); ++at) found.salt[at] = std::byte(salt[at]);
    found.frame = frame;
    return found;
}

/// Makes memory and disk the same; an errno, or 0.
int read_anew(int fd) noexcept {
    // Proves nothing of what was lost before; but pages that are still to be written can only be
    // dropped after it.
    if (const int error = os::sync_data(fd)) return error;
    return os::drop_cached(fd);
}

int settle_log(const std::string& path, const log_position& acknowledged) noexcept {
    const opened_file log(path, O_RDWR);
    // Somebody else recovered it, checkpointed it and deleted it.
    if (log.fd < 0) return SQLITE_OK;
    wal_chain chain;
    if (read_anew(log.fd) != 0 || !follow_chain(log.fd, chain)) return SQLITE_IOERR_FSYNC;
    // Another log than the one that was marked: so it was checkpointed since.
    if (chain.salt != acknowledged.salt) return SQLITE_OK;
    return chain.committed >= acknowledged.frame ? SQLITE_OK : SQLITE_IOERR_DATA;
}

}  // namespace

void leave(const std::string& database_path, int error, const log_position& acknowledged) noexcept
    try {
    const std::string path = database_path + suffix;
    const opened_file marker(path, O_RDWR | O_CREAT | O_TRUNC);
    if (marker.fd < 0) return;
    std::array<char, text_max> text{};
    std::array<unsigned, sizeof(wal_salt)> salt{};
    for (std::size_t at = 0; at < salt.size(); ++at) {
        salt[at] = std::to_integer<unsigned>(acknowledged.salt[at]);
    }
    const int length =
        std::snprintf(text.data(), text.size(),
                      "a sync of this database failed: it is looked at when it is opened next\n"
                      "errno %d\nlog %02x%02x%02x%02x%02x%02x%02x%02x\nframe %u\n",
                      error, salt[0], salt[1], salt[2], salt[3], salt[4], salt[5], salt[6], salt[7],
                      acknowledged.frame);
    if (os::write_at(marker.fd, text.data(), static_cast<std::size_t>(length), 0) != 0) return;
    if (os::sync_data(marker.fd) == 0) os::sync_directory_of(path.c_str());
} catch (const std::bad_alloc&) {
    return;
}

int settle(const char* database_path, int database_fd) noexcept try {
    const std::string path = std::string(database_path) + suffix;
    if (!os::exists(path.c_str())) return SQLITE_OK;
    const opened_file marker(path, O_RDONLY);
    if (marker.fd < 0) return SQLITE_IOERR_FSYNC;
    const bool is_used = os::lock_held_by_others(database_fd, first_lock_byte, lock_bytes) !=
                         static_cast<int>(os::lock_kind::none);
    if (is_used || read_anew(database_fd) != 0) return SQLITE_IOERR_FSYNC;
    const std::string log = std::string(database_path) + "-wal";
    const int code = settle_log(log, acknowledged_by(marker.fd));
    if (code != SQLITE_OK && !is_seeded(mutant::s26_marker_ignored)) return code;
    os::remove_file(path.c_str());
    return SQLITE_OK;
} catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
}

}  // namespace skiff::vfs::sync_marker
