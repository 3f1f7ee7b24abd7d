// The public database: thin calls on database_state.
#include "core/error_map.hpp"
#include "core/function_table.hpp"
#include "core/operation.hpp"
#include "pool/database_state.hpp"

#include <skiff/database.hpp>

#include <memory>

namespace skiff {

namespace detail {

void database_deleter::operator()(database_state* state) const noexcept {
    delete state;
}

commit_token submit(database_state& database, write_unit& unit) {
    return database.token(database.write_side.submit(unit));
}

void submit_without_transaction(database_state& database,
                                void (*run)(void* context, connection& writer),
                                void* context,
                                const skiff::deadline& deadline) {
    database.write_side.submit_exclusive(run, context, deadline);
}

namespace {

void sync_file(connection_state& state, int which) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(state.db, "main", which, static_cast<void*>(&file));
    if (file == nullptr || file->pMethods == nullptr) return;
    const int code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (code == SQLITE_OK) return;
    state.poison(code);
    throw_object_error(state.db, code, "wait_durable", "");
}

/// Syncs what a commit wrote to: the log, and the file where there is no log or where checkpoints
/// move commits into it without a sync. Never after a sync that failed: this one might succeed
/// although the data is gone.
void sync_commits(connection& opened) {
    auto& state = connection_state::of(opened);
    state.check_writable();
    const auto& options = state.options;
    sync_file(state, SQLITE_FCNTL_JOURNAL_POINTER);
    if (options.durability == durability::off || options.journal != journal_mode::wal) {
        sync_file(state, SQLITE_FCNTL_FILE_POINTER);
    }
}

/// Runs `work(connection_state&)` on the writer connection alone.
template <class Work>
void on_writer(database_state& database, Work&& work, const deadline& until = {}) {
    database.write_side.submit_exclusive(
        [](void* context, connection& opened) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(opened);
        },
        std::addressof(work), until);
}

}  // namespace

}  // namespace detail

database::database(detail::database_state* state) noexcept : state_(state) {}
database::database(database&&) noexcept = default;
database& database::operator=(database&&) noexcept = default;
database::~database() = default;

database database::open(const std::filesystem::path& path, const open_options& options) {
    return database(new detail::database_state(path, options));
}

detail::database_state& database::require() const {
    if (!state_) [[unlikely]]
        detail::throw_closed("the database");
    return *state_;
}

void database::close() {
    if (!state_) return;
    state_->close();
    state_.reset();
}

void database::wait_durable(const commit_token& commit, const deadline& until) {
    auto& state = require();
    state.check_token(commit);
    if (options().durability == durability::full || commit == commit_token()) return;
    auto sync = [](connection& opened) { detail::sync_commits(opened); };
    detail::on_writer(state, sync, until);
}

commit_token database::last_commit() const {
    const auto& state = require();
    return state.token(state.write_side.last_commit());
}

void database::backup_to(connection& target, const backup_options& options) {
    auto& state = require();
    detail::reader_lease lease(state);
    lease.connection().backup_to(target, options);
}

database_stats database::stats() const {
    auto& state = require();
    const auto& counters = state.write_side.counters();
    database_stats all;
    all.commits = counters.commits.load();
    all.writes = counters.writes.load();
    all.batch_writes_max = counters.batch_writes_max.load();
    all.writes_failed = counters.writes_failed.load();
    all.batches_aborted = counters.batches_aborted.load();
    all.reads_waited = state.readers.waited();
    all.readers_open = state.readers.opened();
    all.statements = {counters.statement_hits.load(), counters.statement_misses.load(),
                      counters.statement_evictions.load(), counters.statements_kept.load(),
                      options().statement_cache_size};
    state.readers.for_each_idle([&all](detail::reader& each) {
        if (!all.file) all.file = each.opened->file_status();
        const auto cache = each.inner->cache.stats();
        all.statements.hits += cache.hits;
        all.statements.misses += cache.misses;
        all.statements.evictions += cache.evictions;
        all.statements.size += cache.size;
        all.statements.capacity += cache.capacity;
    });
    return all;
}

std::filesystem::path database::path() const {
    return require().path;
}

const open_options& database::options() const {
    return require().recipe.options;
}

void database::define_function_now(detail::function_definition made) {
    auto& state = require();
    auto apply = [&made](connection& opened) {
        detail::register_function(detail::connection_state::of(opened), made);
    };
    detail::on_writer(state, apply);
    state.functions.add([made = std::move(made)](detail::connection_state& each) {
        detail::register_function(each, made);
    });
}

void database::define_collation_now(detail::collation_definition made) {
    auto& state = require();
    auto apply = [&made](connection& opened) {
        detail::register_collation(detail::connection_state::of(opened), made);
    };
    detail::on_writer(state, apply);
    state.functions.add([made = std::move(made)](detail::connection_state& each) {
        detail::register_collation(each, made);
    });
}

}  // namespace skiff
