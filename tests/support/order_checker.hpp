// Watches the order of writes and syncs of the VFS and says when a promise of the log is broken:
//
//     I1  a page goes into the database only from a frame that a sync of the log covers
//     I2  a log begins anew only when all of it is in the database, and that is synced
//     I3  a frame that others may see is never overwritten
//     I4  a commit is acknowledged only when a sync covers it
//
// An executable is checked always when it has a file that calls check_order_always(). Databases
// whose connections do not sync (synchronous=off) break I1 and I2 rightly.
#pragma once

#include "vfs/io_interceptor.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace skiff_test {

/// Thread-safe. What another process does to the files is not seen, and never held against us.
class order_checker final : public skiff::vfs::io_interceptor {
  public:
    int before(const skiff::vfs::io_event& event) noexcept override;
    void after(const skiff::vfs::io_event& event, int error) noexcept override;

    /// I4: this thread was told that its last commit at synchronous=full succeeded.
    void acknowledged();
    /// Whether faults are injected: frames that were never seen may look committed then (I2).
    void expect_faults(bool expected) { expects_faults_ = expected; }
    /// What was broken since the last call.
    std::vector<std::string> take_violations();
    /// Forks happen when no thread is inside.
    void prepare_fork();
    void end_fork() { guard_.unlock(); }

  private:
    struct image {
        std::size_t hash = 0;
        std::uint64_t written = 0;  ///< number of the event that ended the write
    };
    struct database {
        std::size_t page_bytes = 0;
        std::unordered_map<std::uint32_t, std::vector<image>> images;  ///< by page
        std::vector<std::uint32_t> frames;                             ///< pages, by frame - 1
        std::uint32_t committed = 0;   ///< the last frame of this process's last commit
        bool has_others = false;       ///< another process wrote to this generation of the log
        std::uint64_t log_synced = 0;  ///< all events before are covered
        std::uint64_t written = 0;     ///< the last write to the database
        std::uint64_t synced = 0;
    };

    void check_restart(const std::string& path, database& state, int log_fd);
    void check_frames(const std::string& path, database& state, const skiff::vfs::io_event& event);
    void check_page(const std::string& path,
                    const database& state,
                    const skiff::vfs::io_event& event);
    void note_commit(const std::string& path, database& state, const skiff::vfs::io_event& event);
    void note_frames(database& state, const skiff::vfs::io_event& event);
    void note_image(database& state, std::size_t frame, std::uint32_t page, const char* content);
    void report(const std::string& what);

    std::mutex guard_;
    bool expects_faults_ = false;
    bool has_forked_ = false;
    std::uint64_t events_ = 0;
    std::map<std::string, database> databases_;
    std::vector<std::string> violations_;
};

/// The checker of this executable.
order_checker& the_order_checker();
/// Makes every test of this executable fail when the order is broken in it; in a forked child the
/// process is aborted.
bool check_order_always();

}  // namespace skiff_test
