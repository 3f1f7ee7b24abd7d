// Removes them as SQLite itself does: under an exclusive lock of the database, which nobody gets
// while another connection has the file in WAL mode.
#include "side_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace skiff_cli {

namespace {

// sqlite.org/fileformat2.html#the_lock_byte_page: the pending byte, the reserved byte and the
// range of the shared locks follow each other. A connection in WAL mode holds a shared lock until
// it closes.
constexpr off_t lock_bytes_start = 0x40000000;
constexpr off_t lock_bytes_count = 512;

std::filesystem::path beside(const std::filesystem::path& database, const char* suffix) {
    return database.native() + suffix;
}

/// An exclusive lock of a database file, or none when somebody has it open. This program must have
/// no connection to the file: closing any descriptor of a file drops all of a program's locks.
class exclusive_lock {
  public:
    explicit exclusive_lock(const std::filesystem::path& database)
        : fd_(::open(database.c_str(), O_RDWR | O_CLOEXEC)) {
        if (fd_ < 0) return;
        struct flock range{};
        range.l_type = F_WRLCK;
        range.l_whence = SEEK_SET;
        range.l_start = lock_bytes_start;
        range.l_len = lock_bytes_count;
        held_ = ::fcntl(fd_, F_SETLK, &range) == 0;
    }
    exclusive_lock(const exclusive_lock&) = delete;
    exclusive_lock& operator=(const exclusive_lock&) = delete;
    ~exclusive_lock() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] bool held() const noexcept { return held_; }

  private:
    int fd_;
    bool held_ = false;
};

}  // namespace

side_files::side_files(const std::filesystem::path& database) {
    std::error_code absent;
    database_ = std::filesystem::canonical(database, absent);
    if (absent) return;
    had_wal_ = std::filesystem::exists(beside(database_, "-wal"), absent);
    had_shm_ = std::filesystem::exists(beside(database_, "-shm"), absent);
}

side_files::~side_files() {
    if (database_.empty() || (had_wal_ && had_shm_)) return;
    std::error_code ignored;
    const auto wal = beside(database_, "-wal");
    const auto shm = beside(database_, "-shm");
    const bool new_wal = !had_wal_ && std::filesystem::exists(wal, ignored);
    const bool new_shm = !had_shm_ && std::filesystem::exists(shm, ignored);
    if (!new_wal && !new_shm) return;
    const exclusive_lock alone(database_);
    if (!alone.held()) return;
    // Whoever wrote a log meanwhile and did not come to an end gets it as it is.
    if (new_wal && std::filesystem::file_size(wal, ignored) != 0) return;
    if (new_shm) std::filesystem::remove(shm, ignored);
    if (new_wal) std::filesystem::remove(wal, ignored);
}

}  // namespace skiff_cli
