// A file system whose disk really fails when data is synced: ext4 in a sparse image on a tmpfs that
// can be filled, through a loop device. Writes go to the kernel's memory and succeed; a sync that
// must allocate fails. For root, in a process of its own: nothing stays mounted after it.
#pragma once

#include "support/full_disk.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace skiff_test {

class failing_disk {
  public:
    enum class journal { with, without };

    failing_disk(const std::filesystem::path& folder, journal kind);
    failing_disk(const failing_disk&) = delete;
    failing_disk& operator=(const failing_disk&) = delete;
    ~failing_disk();

    /// Empty when the disk is there, else why it is not.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return mounted_ / name;
    }
    /// Syncs fail from now on, once a little more was written.
    void fail() { backing_.fill(std::size_t{2} << 20); }
    void heal() { backing_.release(); }
    /// Mounts a copy of what reached the disk; empty, or why that cannot be done.
    std::string mount_copy(const std::filesystem::path& at);

  private:
    std::filesystem::path image_;
    std::filesystem::path mounted_;
    std::filesystem::path copy_mounted_;
    small_disk backing_;
    std::string problem_;
};

}  // namespace skiff_test
