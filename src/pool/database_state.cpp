// Assembly of a database from its parts.
#include "pool/database_state.hpp"

#include "core/open.hpp"
#include "core/operation.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace skiff::detail {

namespace {

std::atomic<std::uint64_t> databases_made{0};

bool is_memory(const std::filesystem::path& path) {
    return path == ":memory:";
}

connection_recipe make_recipe(const std::filesystem::path& path,
                              const open_options& options,
                              std::uint64_t id) {
    if (path.empty()) {
        throw_error({.code = errc::unsupported,
                     .message = "a temporary database cannot be shared between connections",
                     .operation = "open",
                     .advice = "use skiff::connection, or give the database a file name"});
    }
    connection_recipe made{path.native(), false, options};
    if (is_memory(path)) {
        // A name of its own in SQLite's memory VFS, which connections of one process share; the
        // private ":memory:" would give each connection another empty database.
        made.name =
            "file:/skiff-" + std::to_string(getpid()) + "-" + std::to_string(id) + "?vfs=memdb";
        made.is_uri = true;
        made.options.journal = journal_mode::keep;
    }
    return made;
}

batch_limits limits_of(const open_options& options) {
    return {
        static_cast<std::size_t>(std::max(1, options.batch_callers_max)),
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(options.batch_time_max)};
}

}  // namespace

void function_list::add(definition made) {
    const mutex_lock lock(mutex_);
    made_.push_back(std::move(made));
    version_.store(made_.size(), std::memory_order_release);
}

std::uint64_t function_list::apply(connection_state& connection, std::uint64_t applied) {
    const mutex_lock lock(mutex_);
    for (; applied < made_.size(); ++applied) made_[applied](connection);
    return applied;
}

connection connection_recipe::open() const {
    return is_uri ? connection::open_uri(name, options) : connection::open(name, options);
}

connection connection_recipe::open_reader(const wait_limits& limits) const try {
    auto reading = options;
    // The writer made the file; a reader must never make another one in its place.
    if (reading.mode == open_mode::create && !is_uri) reading.mode = open_mode::read_write;
    reading.journal = journal_mode::keep;
    reading.on_log_held_back = nullptr;
    const auto kind = is_uri ? name_kind::uri : name_kind::path;
    auto opened = connection_state::wrap(open_connection(name, kind, reading, limits));
    if (reading.mode != open_mode::read_only) opened.exec("pragma query_only=1");
    install_busy_handler(connection_state::of(opened));
    return opened;
} catch (const busy&) {
    if (limits.are_over()) throw_not_started(limits.until, "a lock on the file");
    throw;
}

database_state::database_state(std::filesystem::path opened_path, const open_options& opened_with)
    : id(databases_made.fetch_add(1) + 1),
      path(std::move(opened_path)),
      recipe(make_recipe(path, opened_with, id)),
      write_side(recipe.open(), limits_of(opened_with)),
      readers(static_cast<std::size_t>(std::max(1, opened_with.readers)),
              [this](const wait_limits& limits) { return recipe.open_reader(limits); }) {}

reader& database_state::take_reader(const wait_limits& limits) {
    reader& taken = readers.take(limits, write_side.is_led_here());
    if (taken.functions_applied != functions.version()) [[unlikely]] {
        try {
            taken.functions_applied = functions.apply(*taken.inner, taken.functions_applied);
        } catch (...) {
            readers.give_back(taken);
            throw;
        }
    }
    return taken;
}

void database_state::check_token(const commit_token& token) const {
    if (token == commit_token()) return;
    if (token.database_ == id && token.sequence_ <= write_side.last_commit()) return;
    throw_error({.code = errc::misuse,
                 .message = "the commit token is not of this database object",
                 .operation = "read",
                 .advice = "tokens hold for the object that made them, until it is closed"});
}

void database_state::close() {
    readers.close();
    write_side.close();
}

}  // namespace skiff::detail
