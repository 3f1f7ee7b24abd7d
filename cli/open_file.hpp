// The database file as every verb takes it: the FILE argument, the wait for locks, and how it is
// opened so that merely looking at a file does not change it.
#pragma once

#include <skiff/connection.hpp>

#include <filesystem>

namespace CLI {
class App;
}

namespace skiff_cli {

/// What the command line says of the database. Lives as long as the parsed options.
struct file_options {
    std::filesystem::path path;
    int busy_timeout_ms = 5000;
};

/// Adds FILE and --busy-timeout to a verb.
void add_file_options(CLI::App& verb, file_options& options);

/// Opens it. A file that exists keeps its journal mode; one that is made gets WAL. Throws
/// skiff::error with a message that names the path.
[[nodiscard]] skiff::connection open_file(const file_options& options, skiff::open_mode mode);

}  // namespace skiff_cli
