// A database opened through our VFS and through SQLite's own: what the tests of this room compare.
#pragma once

#include "support/raw_sqlite.hpp"
#include "vfs/registry.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

namespace skiff_test {

constexpr int open_flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;

/// A connection through our VFS; `parameters` as in "psow=0&nolock=1".
[[nodiscard]] inline std::unique_ptr<raw_database> open_ours(const std::filesystem::path& path,
                                                             const std::string& parameters = {},
                                                             int flags = open_flags) {
    if (skiff::vfs::register_vfs() != SQLITE_OK) throw std::runtime_error("register_vfs");
    const std::string name = "file:" + path.string() + "?" + parameters;
    return std::make_unique<raw_database>(name, flags, skiff::vfs::vfs_name);
}

/// A connection through SQLite's own VFS.
[[nodiscard]] inline std::unique_ptr<raw_database> open_stock(const std::filesystem::path& path) {
    return std::make_unique<raw_database>(path, open_flags, "unix");
}

/// Name of the VFS that serves the connection's database file.
[[nodiscard]] inline std::string vfs_of(const raw_database& db) {
    char* name = nullptr;
    sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_VFSNAME, static_cast<void*>(&name));
    std::string found = name != nullptr ? name : "";
    sqlite3_free(name);
    return found;
}

/// Write calls of this thread so far; -1 where the system does not count them.
[[nodiscard]] inline std::int64_t write_calls() {
    std::ifstream counters("/proc/thread-self/io");
    for (std::string word; counters >> word;) {
        std::int64_t calls = -1;
        if (word == "syscw:" && counters >> calls) return calls;
    }
    return -1;
}

}  // namespace skiff_test
