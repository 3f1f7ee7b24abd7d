// System calls of the VFS that fail, are cut short, come late or kill the process: on demand. This
// executable has src/vfs/os_linux.cpp compiled with its system calls renamed (attacked_os.cpp), so
// that nothing else in the process is hit, SQLite's own VFS least of all.
//
//     os_attack attack({.call = os_call::write, .effect = os_effect::fail, .nth = 3});
//     … use the VFS …
//     attack.fired()
#pragma once

#include <cerrno>
#include <string>
#include <vector>

namespace skiff_test {

enum class os_call {
    open,
    read,
    write,
    truncate,
    allocate,
    sync,
    sync_directory,
    status,
    unlink,
    map,
    lock,
    unlock,
    find_lock,
    any
};

enum class os_effect {
    fail,       ///< returns the error, does nothing
    shorten,    ///< reads or writes a part, as signals and quotas do
    tear,       ///< does a part; the call for the rest fails
    interrupt,  ///< EINTR, once
    kill,       ///< SIGKILL instead of the call
};

/// What happens to the N-th call of a kind from now on, or to all from then on.
struct os_attack_plan {
    os_call call = os_call::any;
    os_effect effect = os_effect::fail;
    int nth = 1;
    int error = EIO;
    bool forever = false;
};

/// An attack as long as it lives. One at a time in a process; calls of all threads are counted.
class os_attack {
  public:
    explicit os_attack(const os_attack_plan& plan);
    ~os_attack();
    os_attack(const os_attack&) = delete;
    os_attack& operator=(const os_attack&) = delete;

    /// Ends it early.
    void stop() noexcept;
    [[nodiscard]] bool fired() const noexcept;
};

/// As long as it lives, one system call in twenty waits 0 to 5 ms before it, and syncs after it as
/// well: rare orders of threads become frequent. Those that wait or wake count, too. Between system
/// calls: support/delays.hpp.
class os_delays {
  public:
    explicit os_delays(unsigned seed) noexcept;
    ~os_delays();
    os_delays(const os_delays&) = delete;
    os_delays& operator=(const os_delays&) = delete;
};

/// A kind of fault, for loops over all of them.
struct os_fault_kind {
    const char* name;
    os_call call;
    os_effect effect;
    int error;
};
[[nodiscard]] const std::vector<os_fault_kind>& os_fault_kinds();

}  // namespace skiff_test
