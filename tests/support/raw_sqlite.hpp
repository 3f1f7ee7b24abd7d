// SQLite's C API with as little around it as can be: the second opinion of tests, so that what
// Skiff wrote is not only read by Skiff.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace skiff_test {

/// A plain connection without any of Skiff's settings. One thread at a time.
class raw_database {
  public:
    explicit raw_database(const std::filesystem::path& path,
                          int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                          const char* vfs = nullptr);
    raw_database(const raw_database&) = delete;
    raw_database& operator=(const raw_database&) = delete;
    ~raw_database();

    [[nodiscard]] sqlite3* handle() const noexcept { return db_; }
    /// Runs SQL to its end and returns SQLite's extended code.
    int try_exec(const std::string& sql) noexcept;
    /// The same; anything but success is an exception with SQLite's words.
    void exec(const std::string& sql);
    /// The first column of the first row; throws when there is none.
    [[nodiscard]] std::int64_t number(const std::string& sql);
    [[nodiscard]] std::string text(const std::string& sql);
    /// The first column of all rows.
    [[nodiscard]] std::vector<std::string> column(const std::string& sql);

  private:
    sqlite3* db_ = nullptr;
};

/// What `pragma integrity_check` says of a file: "ok", or the faults; an error's text otherwise.
[[nodiscard]] std::string integrity_of(const std::filesystem::path& path);
/// One number from a file, by a connection of its own.
[[nodiscard]] std::int64_t number_in(const std::filesystem::path& path, const std::string& sql);

/// How many files this process has open.
[[nodiscard]] int open_descriptors();

}  // namespace skiff_test
