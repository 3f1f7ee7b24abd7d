// The hook is one slot of SQLite's; whoever sets it replaces whoever had it.
#include "core/checkpoint_hook.hpp"

#include "core/error_map.hpp"
#include "vfs/registry.hpp"

namespace skiff::detail {

namespace {

int checkpoint_after_commit(void* context, sqlite3* db, const char* schema, int frames) {
    auto& connection = *static_cast<connection_state*>(context);
    const int limit = connection.autocheckpoint_frames;
    if (limit <= 0 || frames < limit) return SQLITE_OK;
    const int code =
        sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (is_failed_sync(code)) connection.poison(code);
    return SQLITE_OK;
}

/// Our VFS checkpoints on a thread of its own.
bool is_checkpointed_elsewhere(sqlite3* db) noexcept {
    int itself = 0;
    return sqlite3_file_control(db, "main", vfs::fcntl_checkpoints_itself, &itself) == SQLITE_OK &&
           itself != 0;
}

}  // namespace

void install_checkpoint_hook(connection_state& connection) noexcept {
    constexpr int default_frames = 1000;  // SQLITE_DEFAULT_WAL_AUTOCHECKPOINT
    const bool by_default = connection.autocheckpoint_frames == default_frames;
    if (by_default && is_checkpointed_elsewhere(connection.db)) {
        sqlite3_wal_hook(connection.db, nullptr, nullptr);
        return;
    }
    // Whoever sets another number, or none, wants to decide when checkpoints happen.
    sqlite3_file_control(connection.db, "main", vfs::fcntl_stop_checkpointing, nullptr);
    sqlite3_wal_hook(connection.db, checkpoint_after_commit, &connection);
}

void lend_checkpoint_hook(connection_state& connection) noexcept {
    sqlite3_wal_autocheckpoint(connection.db, connection.autocheckpoint_frames);
}

void take_checkpoint_hook_back(connection_state& connection) noexcept {
    sqlite3_stmt* statement = nullptr;
    const internal_scope passing(connection);
    if (sqlite3_prepare_v2(connection.db, "pragma wal_autocheckpoint", -1, &statement, nullptr) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        connection.autocheckpoint_frames = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    install_checkpoint_hook(connection);
}

}  // namespace skiff::detail
