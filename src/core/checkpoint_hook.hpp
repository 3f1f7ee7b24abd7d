// SQLite's automatic checkpoint with its errors noticed.
#pragma once

#include "core/connection_state.hpp"

namespace skiff::detail {

/// Checkpoints after commits as SQLite does, but a failed sync poisons the connection: SQLite
/// itself would drop the error and sync again at the next occasion, which may report success for
/// data that is gone.
void install_checkpoint_hook(connection_state& connection) noexcept;

/// Around the preparation of a pragma: "wal_autocheckpoint" reads and replaces the hook then.
/// SQLite's own is put in its place before, and what the pragma left is taken over after.
void lend_checkpoint_hook(connection_state& connection) noexcept;
void take_checkpoint_hook_back(connection_state& connection) noexcept;

}  // namespace skiff::detail
