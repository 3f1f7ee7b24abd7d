// Online backup. The target commits only when everything was copied: after an error or a stop it
// is what it was before.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"
#include "core/running_backup.hpp"

#include <skiff/backup.hpp>
#include <skiff/connection.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace skiff {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Pause after a step that met a lock.
constexpr milliseconds busy_pause{5};
/// The longest busy_timeout: the clock cannot count all milliseconds there are.
constexpr milliseconds patience_max = std::chrono::hours(24 * 365);

bool is_lock(int code) noexcept {
    return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

}  // namespace

detail::running_backup::running_backup(connection_state& from,
                                       connection_state& into,
                                       sqlite3_backup* begun)
    : handle(begun), source(&from), target(&into) {
    from.backups.push_back(this);
    into.backups.push_back(this);
}

detail::running_backup::~running_backup() {
    end_backup(*this);
}

int detail::end_backup(running_backup& backup) noexcept {
    if (backup.handle == nullptr) return SQLITE_OK;
    const int code = sqlite3_backup_finish(std::exchange(backup.handle, nullptr));
    if (is_failed_sync(code)) backup.target->poison(code);
    std::erase(backup.source->backups, &backup);
    std::erase(backup.target->backups, &backup);
    return code;
}

backup::backup(connection& source, connection& target, const backup_options& options) {
    auto& from = source.require();
    auto& to = target.require();
    to.check_writable();
    from.backups.reserve(from.backups.size() + 1);
    to.backups.reserve(to.backups.size() + 1);
    auto* begun = sqlite3_backup_init(to.db, options.target_schema.c_str(), from.db,
                                      options.source_schema.c_str());
    if (begun == nullptr) {
        detail::throw_object_error(to.db, sqlite3_extended_errcode(to.db), "backup",
                                   target.path().native());
    }
    running_ = std::make_shared<detail::running_backup>(from, to, begun);
}

void backup::fail(int code) {
    // The last step commits: what fails then may be stored or not.
    const bool committing = sqlite3_backup_pagecount(running_->handle) > 0 &&
                            sqlite3_backup_remaining(running_->handle) == 0;
    auto* db = running_->target->db;
    detail::end_backup(*running_);
    auto details = detail::details_of(db, code, "backup");
    const char* name = sqlite3_db_filename(db, "main");
    if (name != nullptr) details.object = name;
    if (committing && detail::leaves_commit_unknown(code)) {
        detail::make_outcome_unknown(details, "the commit of the backup");
        details.advice = "the target is what it was before, or complete: look, or copy again";
    }
    throw_error(std::move(details));
}

bool backup::step(int pages) {
    if (running_ == nullptr || running_->handle == nullptr) detail::throw_closed("the backup");
    const int code = sqlite3_backup_step(running_->handle, pages);
    if (code == SQLITE_DONE) return false;
    if (code == SQLITE_OK) return true;
    if (is_lock(code)) detail::throw_object_error(running_->target->db, code, "backup", "");
    fail(code);
}

backup_progress backup::progress() const noexcept {
    if (running_ == nullptr || running_->handle == nullptr) return {};
    const int total = sqlite3_backup_pagecount(running_->handle);
    return {total - sqlite3_backup_remaining(running_->handle), total};
}

void backup::finish() {
    if (running_ == nullptr || running_->handle == nullptr) return;
    auto* db = running_->target->db;
    const int code = detail::end_backup(*running_);
    if (code != SQLITE_OK) detail::throw_object_error(db, code, "backup", "");
}

void connection::backup_to(connection& target, const backup_options& options) {
    if (options.pages_per_step == 0) {
        throw_error({.code = errc::misuse,
                     .message = "a backup in steps of 0 pages never ends",
                     .operation = "backup",
                     .advice = "set pages_per_step, negative for all pages in one step"});
    }
    backup copy(*this, target, options);
    const auto patience = std::clamp(options.busy_timeout, milliseconds{0}, patience_max);
    auto busy_until = steady_clock::now() + patience;
    for (bool more = true; more;) {
        if (options.stop.stop_requested()) {
            throw_error({.code = errc::interrupted,
                         .message = "the backup was stopped",
                         .operation = "backup",
                         .object = target.path().native()});
        }
        try {
            more = copy.step(options.pages_per_step);
            busy_until = steady_clock::now() + patience;
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
