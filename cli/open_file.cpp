// Says what is wrong with a path before SQLite says "unable to open database file".
#include "open_file.hpp"

#include <skiff/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace skiff_cli {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path,
                         std::string message,
                         std::string advice) {
    skiff::throw_error({.code = skiff::errc::cannot_open,
                        .message = std::move(message),
                        .operation = "open",
                        .object = path.string(),
                        .advice = std::move(advice)});
}

void check_path(const std::filesystem::path& path, bool exists, skiff::open_mode mode) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        refuse(path, "this is a directory, not a database file", "");
    }
    if (exists) return;
    if (mode != skiff::open_mode::create) refuse(path, "there is no such file", "");
    const auto folder = path.parent_path();
    if (!folder.empty() && !std::filesystem::exists(folder, ignored)) {
        refuse(path, fmt::format("the directory {} does not exist", folder.string()),
               fmt::format("make it first: mkdir -p '{}'", folder.string()));
    }
}

/// Reading a file in WAL mode needs its -wal and -shm files, and SQLite's word for a directory that
/// they cannot be made in is that the database is read-only.
[[noreturn]] void refuse_side_files(const std::filesystem::path& path) {
    refuse(path, "the file is in WAL mode, and the -wal and -shm files cannot be made next to it",
           "copy it into a directory that you may write in");
}

}  // namespace

void add_file_options(CLI::App& verb, file_options& options) {
    verb.add_option("FILE", options.path, "the database file")->required()->type_name("");
    verb.add_option("--busy-timeout", options.busy_timeout_ms,
                    "how long to wait for locks of other programs")
        ->type_name("MS")
        ->check(CLI::NonNegativeNumber.description(""))
        ->capture_default_str();
}

skiff::connection open_file(const file_options& options, skiff::open_mode mode) {
    const bool in_memory = options.path == ":memory:" || options.path.empty();
    std::error_code ignored;
    const bool exists = in_memory || std::filesystem::exists(options.path, ignored);
    check_path(options.path, exists, mode);
    skiff::open_options how;
    how.mode = mode;
    how.busy_timeout = std::chrono::milliseconds(options.busy_timeout_ms);
    how.journal = exists && !in_memory ? skiff::journal_mode::keep : skiff::journal_mode::wal;
    try {
        return skiff::connection::open(options.path, how);
    } catch (const skiff::error& failure) {
        const std::string_view cause = skiff::name_of_extended(failure.extended_code());
        if (cause == "SQLITE_READONLY_DIRECTORY") refuse_side_files(options.path);
        throw;
    }
}

}  // namespace skiff_cli
