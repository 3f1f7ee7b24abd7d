// A VFS for tests that fails on demand: a shim over SQLite's default one, registered under a name.
// It counts the calls of each kind and makes the Nth of them fail with a code, once or for ever.
// Syncs do not reach the disk, since no test here pulls the plug.
//
//     const fault_scope broken({.call = io_call::sync, .nth = 1, .file = "-wal"});
//     cx.exec("insert …");   // the commit's sync fails
#pragma once

#include <string>

namespace skiff_test {

enum class io_call { open, access, remove, read, write, truncate, sync, size, lock, shm_map, any };
enum class how_long { once, for_ever };

struct fault {
    io_call call = io_call::any;
    int nth = 1;   ///< counted from the moment the fault is set
    int code = 0;  ///< what the call returns; 0: the usual code of that call's failure
    how_long lasts = how_long::once;
    std::string file{};  ///< only calls on files whose name ends with this; empty: all
};

/// The name to open with (open_options::vfs). Registers the VFS at the first call. Thread-safe.
[[nodiscard]] const char* fault_vfs_name();

/// Sets a fault for a scope; only one at a time. Thread-safe.
class fault_scope {
  public:
    explicit fault_scope(const fault& wanted);
    fault_scope(const fault_scope&) = delete;
    fault_scope& operator=(const fault_scope&) = delete;
    ~fault_scope();

    /// The fault happened at least once.
    [[nodiscard]] bool fired() const;
    /// Calls of the wanted kind and file since the scope began.
    [[nodiscard]] int calls() const;
};

/// Calls of a kind, on files whose name ends with `file`, since the last reset_io_counts().
[[nodiscard]] int io_count(io_call call, const std::string& file = {});
void reset_io_counts();

}  // namespace skiff_test
