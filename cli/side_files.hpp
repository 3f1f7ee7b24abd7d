// What SQLite leaves next to a database in WAL mode that was opened only to look at it.
#pragma once

#include <filesystem>

namespace skiff_cli {

/// Looks before a file is opened read-only, and puts its directory back afterwards: a connection
/// that may not write makes an empty -wal and a -shm, and cannot remove them when it closes. A log
/// that holds something is left alone, as are files that were there before or that somebody uses.
///
///     const side_files beside(path);  // before the connection, so that it closes first
class side_files {
  public:
    explicit side_files(const std::filesystem::path& database);
    side_files(const side_files&) = delete;
    side_files& operator=(const side_files&) = delete;
    /// Call it when this program's connections to the file are closed. Best effort: what stays
    /// behind does no harm.
    ~side_files();

  private:
    std::filesystem::path database_;  ///< behind links, as SQLite sees it; empty when there is none
    bool had_wal_ = false;
    bool had_shm_ = false;
};

}  // namespace skiff_cli
