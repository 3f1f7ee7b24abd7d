// A backup under way, as both of its connections know it: whichever of the two goes first ends it.
#pragma once

#include "core/connection_state.hpp"

namespace skiff::detail {

/// One thread at a time, together with both connections.
struct running_backup {
    running_backup(connection_state& from, connection_state& into, sqlite3_backup* begun);
    ~running_backup();
    running_backup(const running_backup&) = delete;
    running_backup& operator=(const running_backup&) = delete;

    sqlite3_backup* handle;  ///< null when it ended
    connection_state* source;
    connection_state* target;
};

/// Ends it, if that was not done before; returns SQLite's code.
int end_backup(running_backup& backup) noexcept;

}  // namespace skiff::detail
