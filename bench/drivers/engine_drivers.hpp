// Who computes in the suite `engine`: builds of SQLite, each in a program of its own, since one
// process can have only one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace skiff_bench {

/// A database in memory. One thread at a time.
class engine_session {
  public:
    virtual ~engine_session() = default;
    /// Steps through all rows, reads the first column of each, and returns a digest of what was
    /// read. Throws driver_error.
    std::uint64_t execute(const std::string& sql);
    [[nodiscard]] std::map<std::string, std::string> settings();

  private:
    [[nodiscard]] virtual sqlite3* handle() noexcept = 0;
};

struct engine_driver {
    std::string name;
    std::string what;    ///< a line for `skiff-bench list`
    std::string engine;  ///< the build of SQLite that its program has: harness/programs.hpp
    std::unique_ptr<engine_session> (*open)();
};

[[nodiscard]] const std::vector<engine_driver>& engine_drivers();
/// Null when there is none.
[[nodiscard]] const engine_driver* find_engine_driver(std::string_view name);

}  // namespace skiff_bench
