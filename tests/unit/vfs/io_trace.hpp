// The order of what the VFS did to a database's files, a letter each, and syncs that fail once:
//
//     H  the log's header was written     P  a page of the database was written
//     F  frames were written              D  the database was synced
//     S  the log was synced               T  one of them was truncated
//     N  the log's name was synced (its folder)      I  the wal-index was emptied
//
// Equal letters in a row are one. A call that failed is in lower case.
#pragma once

#include "vfs/io_interceptor.hpp"

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace skiff_test {

/// Watches the files of one database. One at a time in a process; thread-safe.
class io_trace final : public skiff::vfs::io_interceptor {
  public:
    explicit io_trace(std::filesystem::path database) : database_(std::move(database)) {
        install(this);
    }
    ~io_trace() override { install(nullptr); }

    /// The next call of that letter fails with EIO; later ones do not.
    void fail_next(char letter) {
        const std::lock_guard lock(guard_);
        failing_ = letter;
    }
    /// What was done since the last call of this.
    [[nodiscard]] std::string take() {
        const std::lock_guard lock(guard_);
        return std::exchange(done_, {});
    }

    int before(const skiff::vfs::io_event& event) noexcept override {
        const std::lock_guard lock(guard_);
        const char letter = letter_of(event);
        if (letter == 0 || letter != failing_) return 0;
        failing_ = 0;
        return EIO;
    }
    void after(const skiff::vfs::io_event& event, int error) noexcept override {
        const std::lock_guard lock(guard_);
        const char letter = letter_of(event);
        const char shown = error == 0 ? letter : static_cast<char>(std::tolower(letter));
        if (letter != 0 && (done_.empty() || done_.back() != shown)) done_ += shown;
    }

  private:
    [[nodiscard]] char letter_of(const skiff::vfs::io_event& event) const {
        using kind = skiff::vfs::io_event::kind;
        const std::string log = database_.string() + "-wal";
        if (event.what == kind::sync_directory) return event.path == log ? 'N' : 0;
        std::error_code gone;
        const auto name =
            std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(event.fd), gone);
        const bool is_log = name == log;
        const bool is_index = name == database_.string() + "-shm";
        if (is_index) return event.what == kind::truncate ? 'I' : 0;
        if (!is_log && name != database_) return 0;
        if (event.what == kind::truncate) return 'T';
        if (event.what == kind::sync) return is_log ? 'S' : 'D';
        if (!is_log) return 'P';
        return event.offset == 0 ? 'H' : 'F';
    }

    const std::filesystem::path database_;
    std::mutex guard_;
    char failing_ = 0;
    std::string done_;
};

}  // namespace skiff_test
