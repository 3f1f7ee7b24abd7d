// What a library must do to be measured. A driver is a file in this folder and a line in
// drivers/all.cpp.
#pragma once

#include "workloads/throughput.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_bench {

/// How a database is opened for a row.
struct profile {
    std::filesystem::path path;
    synchronous level = synchronous::normal;
    cache pages = cache::by_default;
};

/// One thread's share of a driver. One thread at a time.
class session {
  public:
    virtual ~session() = default;
    /// Reads the row with that key; false when its value is wrong.
    virtual bool read(std::int64_t key) = 0;
    /// Inserts a row, in a transaction of its own, as durable as the profile says.
    virtual void insert(std::string_view value) = 0;
};

/// Sessions may be made and used by many threads.
class driver {
  public:
    virtual ~driver() = default;
    [[nodiscard]] virtual std::unique_ptr<session> open_session() = 0;
    /// What the driver's own connections say of themselves: pragmas by name, "sqlite_version" and
    /// "vfs". The harness refuses a driver whose settings are not the profile's.
    [[nodiscard]] virtual std::map<std::string, std::string> settings() = 0;
};

struct driver_entry {
    std::string name;
    std::string what;    ///< a line for `skiff-bench list`
    std::string engine;  ///< the build of SQLite that its program has: harness/programs.hpp
    std::unique_ptr<driver> (*open)(const profile& how);
    /// Settings that may differ from SQLite's defaults, because they are what the driver is about.
    std::vector<std::string> own_settings;
    bool stores_rows = true;  ///< false for a limit that leaves SQLite out
};

[[nodiscard]] const std::vector<driver_entry>& all_drivers();
/// Null when there is none.
[[nodiscard]] const driver_entry* find_driver(std::string_view name);

/// The row's profile as pragmas, for drivers that run SQL.
[[nodiscard]] std::vector<std::string> pragmas_of(const profile& how);

/// What a driver reports when a call fails.
class driver_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace skiff_bench
