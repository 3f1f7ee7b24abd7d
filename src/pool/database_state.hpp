// What a database is inside: its writer, its readers and what all of its connections share.
#pragma once

#include "base/mutex.hpp"
#include "commit/writer.hpp"
#include "pool/reader_set.hpp"

#include <skiff/database.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skiff::detail {

/// Functions and collations of a database, in the order of their registration.
/// Thread-safe. Connections catch up when they are next leased.
class function_list {
  public:
    using definition = std::function<void(connection_state&)>;

    [[nodiscard]] std::uint64_t version() const noexcept {
        return version_.load(std::memory_order_acquire);
    }
    void add(definition made) SKIFF_EXCLUDES(mutex_);
    /// Applies what the connection lacks; returns the version it then has.
    std::uint64_t apply(connection_state& connection, std::uint64_t applied) SKIFF_EXCLUDES(mutex_);

  private:
    std::atomic<std::uint64_t> version_{0};
    mutex mutex_;
    std::vector<definition> made_ SKIFF_GUARDED_BY(mutex_);
};

/// How the connections of one database are opened: a file, or a named database in memory.
struct connection_recipe {
    std::string name;
    bool is_uri = false;
    open_options options;

    [[nodiscard]] connection open() const;
    /// Waits for locks within the limits; throws `timeout` or `interrupted` when they cut it.
    [[nodiscard]] connection open_reader(const wait_limits& limits) const;
};

/// Thread-safe.
struct database_state {
    database_state(std::filesystem::path opened_path, const open_options& opened_with);

    /// A reader with all functions of the database.
    reader& take_reader(const wait_limits& limits = {});
    /// Throws unless the token is of this database; every such commit is visible to new reads.
    void check_token(const commit_token& token) const;
    [[nodiscard]] commit_token token(std::uint64_t sequence) const noexcept {
        return sequence == 0 ? commit_token() : commit_token(id, sequence);
    }
    void close();

    const std::uint64_t id;
    const std::filesystem::path path;
    const connection_recipe recipe;
    function_list functions;
    writer write_side;   // opened first, so that the file and its WAL are there
    reader_set readers;  // closed first
};

}  // namespace skiff::detail
