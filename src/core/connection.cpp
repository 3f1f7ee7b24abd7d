// The public connection: thin calls on connection_state.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"
#include "core/function_table.hpp"
#include "core/open.hpp"
#include "core/sql_text.hpp"
#include "vfs/registry.hpp"

#include <skiff/connection.hpp>

namespace skiff {

void detail::connection_deleter::operator()(connection_state* state) const noexcept {
    delete state;
}

connection::connection(detail::connection_state* state) noexcept : state_(state) {}
connection::connection(connection&&) noexcept = default;
connection& connection::operator=(connection&&) noexcept = default;
connection::~connection() = default;

connection connection::open(const std::filesystem::path& path, const open_options& options) {
    return connection(
        detail::open_connection(path.native(), detail::name_kind::path, options).release());
}

connection connection::open_uri(const std::string& uri, const open_options& options) {
    return connection(detail::open_connection(uri, detail::name_kind::uri, options).release());
}

detail::connection_state& connection::require() const {
    if (!state_) [[unlikely]]
        detail::throw_closed("the connection");
    return *state_;
}

void connection::close() {
    if (!state_) return;
    if (state_->is_lent) {
        throw_error({.code = errc::refused,
                     .message = "the connection belongs to its database",
                     .operation = "close",
                     .advice = "close the database instead"});
    }
    if (const auto* running = state_->first_running()) {
        throw_error({.code = errc::busy,
                     .message = "a query is still running on the connection",
                     .operation = "close",
                     .sql = sqlite3_sql(running->statement),
                     .advice = "end the loop over its rows first"});
    }
    // Asked before anything is closed: a refusal changes nothing.
    if (!state_->backups.empty() || state_->open_blobs > 0) {
        throw_error({.code = errc::busy,
                     .message = "a blob stream or a backup still uses the connection",
                     .operation = "close",
                     .advice = "close its blob streams and backups first"});
    }
    state_->close_statements();
    const int code = sqlite3_close(state_->db);
    if (code != SQLITE_OK) throw_error(detail::details_of(state_->db, code, "close"));
    state_->db = nullptr;
    state_.reset();
}

statement connection::prepare(std::string_view sql) {
    auto& state = require();
    const detail::thread_check guard(state);
    return statement(state.prepare(sql, SQLITE_PREPARE_PERSISTENT).release());
}

void connection::exec_script(std::string_view sql) {
    require().run_script(sql);
}

transaction connection::begin(transaction_mode mode) {
    auto& state = require();
    if (state.in_transaction()) {
        throw_error({.code = errc::misuse,
                     .message = "a transaction is already open on this connection",
                     .operation = "begin",
                     .advice = "nest with savepoint()"});
    }
    using detail::internal_sql;
    if (mode != transaction_mode::deferred) state.check_writable();
    state.run(mode == transaction_mode::immediate  ? internal_sql::begin_immediate
              : mode == transaction_mode::deferred ? internal_sql::begin_deferred
                                                   : internal_sql::begin_exclusive);
    transaction begun(state.back_link, transaction::owner::user);
    begun.begun_ = state.transactions_begun;
    return begun;
}

savepoint connection::savepoint() {
    auto& state = require();
    return skiff::savepoint(state.back_link, !state.in_transaction());
}

bool connection::in_transaction() const {
    return require().in_transaction();
}

void connection::vacuum_into(const std::filesystem::path& path) {
    // On a connection that was opened by URI, SQLite would take this name for one, too.
    const bool like_uri = path.native().starts_with("file:");
    exec("vacuum into ?", like_uri ? "." / path : path);
}

void connection::interrupt() noexcept {
    if (state_) sqlite3_interrupt(state_->db);
}

int connection::set_limit(limit which, int new_value) {
    return sqlite3_limit(require().db, static_cast<int>(which), new_value);
}

std::int64_t connection::total_changes() const {
    return sqlite3_total_changes64(require().db);
}

statement_cache_stats connection::cache_stats() const {
    return require().cache.stats();
}

void connection::clear_cache() {
    require().cache.clear();
}

std::filesystem::path connection::path() const {
    const char* name = sqlite3_db_filename(require().db, "main");
    return name != nullptr ? name : "";
}

std::optional<file_status> connection::file_status() const {
    vfs::vfs_status found;
    auto* db = require().db;
    if (sqlite3_file_control(db, "main", vfs::fcntl_status, &found) != SQLITE_OK) {
        return std::nullopt;
    }
    return skiff::file_status{
        .is_alone = found.is_alone,
        .maps_database = found.maps_database,
        .checkpoints_itself = found.checkpoints,
        .poisoned_by = found.poisoned_by,
        .lock_requests = found.lock_requests,
        .kernel_lock_calls = found.kernel_lock_calls,
        .alone_begun = found.alone_begun,
        .longest_alone = std::chrono::microseconds(found.longest_alone_us),
        .writers_waited = found.writers_waited,
        .group_commits = found.group_commits,
        .group_syncs = found.group_syncs,
        .checkpoints = found.checkpoint_runs,
        .log_resets = found.log_resets,
        .checkpoints_held_back = found.checkpoints_held_back,
        .longest_checkpoint = std::chrono::microseconds(found.longest_checkpoint_us),
        .oldest_read = std::chrono::microseconds(found.oldest_read_us),
        .log_bytes = found.log_bytes,
    };
}

void connection::wait_durable() {
    auto& state = require();
    const int code = sqlite3_file_control(state.db, "main", vfs::fcntl_wait_durable, nullptr);
    if (code == SQLITE_OK) return;
    if (detail::is_failed_sync(code)) state.poison(code);
    if (code != SQLITE_NOTFOUND) {
        detail::throw_object_error(state.db, code, "wait_durable", path().native());
    }
    throw_error({.code = errc::unsupported,
                 .message = "only Skiff's VFS knows what is durable",
                 .operation = "wait_durable",
                 .object = path().native(),
                 .advice = "open the database without another VFS, on a local disk"});
}

sqlite3* connection::native_handle() const noexcept {
    return state_ ? state_->db : nullptr;
}

void connection::define_function_now(detail::function_definition made) {
    detail::register_function(require(), std::move(made));
}

void connection::define_collation_now(const detail::collation_definition& made) {
    detail::register_collation(require(), made);
}

}  // namespace skiff
