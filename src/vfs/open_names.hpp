// The names that SQLite gave when it opened our databases, by address. SQLite finds the database of
// a log from where the log's name lies in memory, which only holds for names that SQLite made: a
// VFS on top of ours may pass on names of its own.
#pragma once

namespace skiff::vfs {

/// Lives as long as the open database. Thread-safe.
class open_name {
  public:
    explicit open_name(const char* name) noexcept;
    ~open_name();
    open_name(const open_name&) = delete;
    open_name& operator=(const open_name&) = delete;

    /// Whether a database is open under this name: this very one, not an equal one.
    [[nodiscard]] static bool is_known(const char* name) noexcept;

  private:
    const char* name_;
};

}  // namespace skiff::vfs
