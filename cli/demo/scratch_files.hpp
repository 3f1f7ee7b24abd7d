// Database files that are gone, with what SQLite keeps beside them, when their scope ends.
#pragma once

#include <filesystem>
#include <utility>

namespace skiff_cli {

/// Removes a database file with its "-wal", "-shm" and "-journal"; what is not there is no error.
void remove_database(const std::filesystem::path& path) noexcept;

/// Removes what an earlier run left under this name, and what was made under it at the end, unless
/// keep() was called. Declare it before whatever opens the file.
class scratch_file {
  public:
    explicit scratch_file(std::filesystem::path path) : path_(std::move(path)) {
        remove_database(path_);
    }
    ~scratch_file() {
        if (!kept_) remove_database(path_);
    }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    void keep() { kept_ = true; }

  private:
    std::filesystem::path path_;
    bool kept_ = false;
};

}  // namespace skiff_cli
