// Parts first, since "is it on?" is what people ask; figures of the database after them.
#include "extension/status_rows.hpp"

#include "extension/host.hpp"
#include "vfs/registry.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace skiff::extension {

namespace {

std::string vfs_of(sqlite3* db) {
    char* name = nullptr;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, static_cast<void*>(&name));
    std::string found = name != nullptr ? name : "none";
    sqlite3_free(name);
    return found;
}

const char* on_or_off(bool is_on) {
    return is_on ? "on" : "off";
}

void add_parts(std::vector<status_row>& rows, sqlite3* db, bool is_ours) {
    const auto* chosen = sqlite3_vfs_find(nullptr);
    const bool is_default = chosen != nullptr && std::string_view(chosen->zName) == vfs::vfs_name;
    rows.push_back({"version", SKIFF_VERSION, {}});
    rows.push_back({"host's SQLite", sqlite3_libversion(), {}});
    rows.push_back({"default for files opened from now on", is_default ? "yes" : "no",
                    is_default ? "" : "set SKIFF_VFS_DEFAULT=1, or open with ?vfs=skiff"});
    rows.push_back({"VFS of this database", vfs_of(db),
                    is_ours ? ""
                            : "opened before the extension was loaded, not a file, read-only, or "
                              "on a file system without shared memory"});
    const bool can_wait = sqlite3_compileoption_used("ENABLE_SETLK_TIMEOUT") != 0;
    rows.push_back({"line of writers", on_or_off(can_wait),
                    can_wait ? ""
                             : "the host's SQLite was built without SQLITE_ENABLE_SETLK_TIMEOUT: "
                               "who is refused sleeps and asks again"});
}

void add_figures(std::vector<status_row>& rows, const vfs::vfs_status& found) {
    const auto add = [&](const char* name, std::uint64_t value) {
        rows.push_back({name, std::to_string(value), {}});
    };
    rows.push_back({"one lock for all, at the moment", on_or_off(found.is_alone),
                    found.is_alone ? "" : "idle, or another process has the database open"});
    rows.push_back({"pages read from a mapping", on_or_off(found.maps_database), {}});
    rows.push_back({"checkpoints in the background", on_or_off(found.checkpoints),
                    found.checkpoints ? "" : "not in WAL mode, or nothing was written yet"});
    add("errno of a failed sync", static_cast<std::uint64_t>(found.poisoned_by));
    add("lock requests", found.lock_requests);
    add("lock calls to the kernel", found.kernel_lock_calls);
    add("commits that shared syncs", found.group_commits);
    add("syncs for them", found.group_syncs);
    add("writers that waited", found.writers_waited);
    add("pauses for writers of other processes", found.pauses_for_others);
    add("checkpoints", found.checkpoint_runs);
    add("resets of the log", found.log_resets);
    add("bytes of the log", static_cast<std::uint64_t>(found.log_bytes));
}

}  // namespace

std::vector<status_row> status_rows(sqlite3* db) {
    std::vector<status_row> rows;
    vfs::vfs_status found;
    const int code = sqlite3_file_control(db, "main", vfs::fcntl_status, &found);
    add_parts(rows, db, code == SQLITE_OK);
    if (code == SQLITE_OK) add_figures(rows, found);
    return rows;
}

}  // namespace skiff::extension
