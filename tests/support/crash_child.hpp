// A process that writes through skiff::database with many threads until it is killed. What its
// clients hear goes through a pipe to the parent, which outlives it.
#pragma once

#include "support/oracle.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <sys/types.h>

namespace skiff_test {

/// What the process does.
struct crash_plan {
    std::filesystem::path path;
    int writers = 1;
    std::int32_t first_client = 0;  ///< its threads are the clients from here on
    std::uint64_t seed = 0;
    std::function<void()> before_work = {};  ///< called in the process, before it opens anything
};

/// A running process of writers. Killed when destroyed. One thread at a time.
/// Make it only while the parent has no other threads.
class crash_child {
  public:
    using listener = std::function<void(const attempt&)>;

    explicit crash_child(const crash_plan& plan);
    crash_child(crash_child&& other) noexcept;
    crash_child& operator=(crash_child&& other) noexcept;
    ~crash_child();

    /// Listens until `until`; returns early when the process ended by itself.
    void listen(std::chrono::steady_clock::time_point until, const listener& hear);
    /// Listens until something is acknowledged; false when that does not happen in time.
    bool listen_for_progress(std::chrono::seconds patience, const listener& hear);
    /// Stops it where it is, whatever locks it holds, and lets it go on.
    void freeze() const noexcept;
    void thaw() const noexcept;
    /// Kills it and hears the rest of what it said. False when it had ended by itself, which is a
    /// fault: its words are on standard error.
    bool kill(const listener& hear);

  private:
    bool hear_some(int timeout_ms, const listener& hear);
    void end() noexcept;

    pid_t pid_ = -1;
    int fd_ = -1;
};

}  // namespace skiff_test
