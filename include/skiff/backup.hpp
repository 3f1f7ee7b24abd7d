// Online copy of a database into another while both are in use, in steps, with progress.
#pragma once

#include <skiff/error.hpp>
#include <skiff/fwd.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace skiff {

namespace detail {
struct running_backup;
}

/// How far a backup is.
struct backup_progress {
    int pages_done = 0;
    int pages_total = 0;  ///< may grow while the source is written to
};

struct backup_options {
    /// Pages copied before other users of the source get their turn.
    int pages_per_step = 256;
    /// Called after each step; what it throws ends the backup and reaches the caller.
    std::function<void(const backup_progress&)> on_progress{};
    /// A requested stop ends the backup with `interrupted`; the target is then not a complete copy.
    std::stop_token stop{};
    /// How long one step may meet locks of other programs before `busy` is thrown.
    std::chrono::milliseconds busy_timeout{5000};
    std::string source_schema = "main";
    std::string target_schema = "main";
};

/// A backup under way, for programs that drive the steps themselves; connection::backup_to does it
/// in one call. Move-only. One thread at a time, together with both connections.
class backup {
  public:
    /// Throws when the target cannot be written or is the source.
    backup(connection& source, connection& target, const backup_options& options = {});
    backup(backup&&) noexcept = default;
    backup& operator=(backup&&) noexcept = default;
    ~backup() = default;

    /// Copies up to `pages` pages (negative: all the rest). True while there is more to copy;
    /// after an error the backup is over and the target is as it was before.
    bool step(int pages);
    [[nodiscard]] backup_progress progress() const noexcept;
    /// Ends it: commits the target when all was copied, rolls it back otherwise. Any number of
    /// times.
    void finish();

  private:
    [[noreturn]] void fail(int code);

    std::shared_ptr<detail::running_backup> running_;  ///< ends when this or a connection goes
};

}  // namespace skiff
