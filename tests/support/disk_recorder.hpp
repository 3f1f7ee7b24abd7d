// What a database's files may look like after a power cut, from a record of everything that the VFS
// did to them. A write lasts for certain when a sync of its file began after it and ended well
// before the cut; any other may be there, be missing, or be there in part (rules B6, B8).
//
//     disk_recorder disk(path);                 // records from here on
//     … writes; disk.note(n) when commit n was acknowledged …
//     disk.stop();
//     const auto cut = disk.cut_at(1234, random);   // files, and what had been acknowledged
#pragma once

#include "support/seed.hpp"
#include "vfs/io_interceptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

namespace skiff_test {

/// Thread-safe while it records. One at a time in a process.
class disk_recorder final : public skiff::vfs::io_interceptor {
  public:
    using bytes = std::vector<std::byte>;
    struct files {
        bytes database;
        bytes log;
        std::vector<std::int64_t> acknowledged;
    };

    /// The files as they are now count as safe on the disk.
    explicit disk_recorder(std::filesystem::path database);
    ~disk_recorder() override;
    void note(std::int64_t acknowledged);
    void stop();
    [[nodiscard]] std::size_t events() const { return events_.size(); }
    /// The files after a cut before the event of that number.
    [[nodiscard]] files cut_at(std::size_t event, random_numbers& random) const;

    int before(const skiff::vfs::io_event& event) noexcept override;
    void after(const skiff::vfs::io_event& event, int error) noexcept override;

  private:
    enum class kind { write, truncate, sync_begin, sync_end, acknowledged };
    struct recorded {
        kind what;
        bool of_log = false;
        std::int64_t at = 0;  ///< offset, new size, or the number that was acknowledged
        bytes content = {};
        std::size_t began = 0;  ///< of sync_end: the event with which it began
    };

    /// Number of the first event that the newest successful sync before `cut` does not cover.
    [[nodiscard]] std::size_t covered_until(std::size_t cut, bool of_log) const;
    static void apply(bytes& file, const recorded& change);
    static void apply_part(bytes& file,
                           const recorded& change,
                           std::size_t from,
                           std::size_t count);
    static void apply_torn(bytes& file, const recorded& change, random_numbers& random);

    const std::filesystem::path database_;
    bytes database_before_;
    bytes log_before_;
    std::mutex guard_;
    std::vector<recorded> events_;
    std::vector<std::pair<int, std::size_t>> syncing_;  ///< by descriptor: the event it began with
};

/// Writes the files of a cut into a folder; returns the database's path.
std::filesystem::path put_into(const std::filesystem::path& folder,
                               const disk_recorder::files& cut);

}  // namespace skiff_test
