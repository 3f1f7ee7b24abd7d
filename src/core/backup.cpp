// Online backup. The target commits only when everything was copied: after an error or a stop it
// is what it was before.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"

#include <skiff/backup.hpp>
#include <skiff/connection.hpp>

#include <chrono>
#include <thread>

namespace skiff {

namespace {

using std::chrono::steady_clock;

/// Pause after a step that met a lock.
constexpr std::chrono::milliseconds busy_pause{5};

bool is_lock(int code) noexcept {
    return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

}  // namespace

backup::backup(connection& source, connection& target, const backup_options& options) {
    auto& from = source.require();
    auto& to = target.require();
    to.check_writable();
    target_ = to.db;
    handle_ = sqlite3_backup_init(to.db, options.target_schema.c_str(), from.db,
                                  options.source_schema.c_str());
    if (handle_ == nullptr) {
        detail::throw_object_error(to.db, sqlite3_extended_errcode(to.db), "backup",
                                   target.path().native());
    }
}

backup::backup(backup&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), target_(other.target_) {}

backup& backup::operator=(backup&& other) noexcept {
    if (this != &other) {
        sqlite3_backup_finish(handle_);
        handle_ = std::exchange(other.handle_, nullptr);
        target_ = other.target_;
    }
    return *this;
}

backup::~backup() {
    sqlite3_backup_finish(handle_);
}

void backup::fail(int code) {
    const char* name = sqlite3_db_filename(target_, "main");
    sqlite3_backup_finish(std::exchange(handle_, nullptr));
    auto details = detail::details_of(target_, code, "backup");
    if (name != nullptr) details.object = name;
    throw_error(std::move(details));
}

bool backup::step(int pages) {
    if (handle_ == nullptr) detail::throw_closed("the backup");
    const int code = sqlite3_backup_step(handle_, pages);
    if (code == SQLITE_DONE) return false;
    if (code == SQLITE_OK) return true;
    if (is_lock(code)) detail::throw_object_error(target_, code, "backup", "");
    fail(code);
}

backup_progress backup::progress() const noexcept {
    if (handle_ == nullptr) return {};
    const int total = sqlite3_backup_pagecount(handle_);
    return {total - sqlite3_backup_remaining(handle_), total};
}

void backup::finish() {
    auto* handle = std::exchange(handle_, nullptr);
    if (handle == nullptr) return;
    const int code = sqlite3_backup_finish(handle);
    if (code != SQLITE_OK) detail::throw_object_error(target_, code, "backup", "");
}

void connection::backup_to(connection& target, const backup_options& options) {
    backup copy(*this, target, options);
    auto busy_until = steady_clock::now() + options.busy_timeout;
    for (bool more = true; more;) {
        if (options.stop.stop_requested()) {
            throw_error({.code = errc::interrupted,
                         .message = "the backup was stopped",
                         .operation = "backup",
                         .object = target.path().native()});
        }
        try {
            more = copy.step(options.pages_per_step);
            busy_until = steady_clock::now() + options.busy_timeout;
        } catch (const busy&) {
            if (steady_clock::now() >= busy_until) throw;
            std::this_thread::sleep_for(busy_pause);
            continue;
        }
        if (options.on_progress) options.on_progress(copy.progress());
    }
    copy.finish();
}

}  // namespace skiff
