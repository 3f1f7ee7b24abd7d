// Disks that are full: a small tmpfs, mounted where only this process sees it (root), and a limit
// on the size of files (everybody). Both make write() fail as a full disk does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace skiff_test {

/// A tmpfs of `bytes` at `folder`, gone with this object. One thread at a time.
class small_disk {
  public:
    small_disk(std::filesystem::path folder, std::size_t bytes);
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;
    ~small_disk();

    /// Empty when the disk is there, else why it is not (no right to mount).
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return folder_ / name;
    }
    /// Takes all space but `leave` bytes, by a file of its own.
    void fill(std::size_t leave = 0);
    /// Gives that space back.
    void release();
    [[nodiscard]] std::size_t free_bytes() const;

  private:
    std::filesystem::path folder_;
    std::string problem_;
};

/// For a child process: no file may grow beyond `bytes`; a write past it fails with EFBIG instead
/// of ending the process with SIGXFSZ. Can be raised again with another call.
void limit_file_size(std::size_t bytes);

}  // namespace skiff_test
