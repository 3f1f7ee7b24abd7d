// Seeded bugs: each breaks one rule at the place where it is kept, and some test must fail. A build
// with SKIFF_MUTANTS has all of them and does the one whose number the environment variable
// SKIFF_MUTANT names; `tools/torture mutants` runs the tests against each. Other builds have none.
#pragma once

#ifdef SKIFF_MUTANTS
#include <cstdlib>
#endif

namespace skiff::vfs {

/// M1 to M17 are mistakes that the design warns of, the others are mistakes that it makes possible.
/// The sentence says what the mutant does; the tool shows it.
enum class mutant : int {
    none,
    m1_header_sync_skipped,        ///< B3: a new log's header is not synced before its frames
    m2_sync_in_flight_joined,      ///< B6: a sync covers commits written while it ran
    m3_acknowledged_before_sync,   ///< COMMIT returns without waiting for its sync
    m4_failure_is_not_found,       ///< B16: a failed sync is SQLITE_NOTFOUND, which SQLite ignores
    m5_failure_is_busy,            ///< B16: a failed sync is SQLITE_BUSY
    m6_error_forgotten,            ///< B18: who hears of a failed sync clears it
    m7_woken_before_poison,        ///< B18: waiters are woken, then the error is set
    m8_sync_repeated,              ///< B20: a sync that failed is done again
    m9_leftover_not_broken,        ///< A3: a byte that a reader left behind refuses exclusivity
    m10_leftover_freed_unguarded,  ///< A1: a byte is unlocked after an unguarded look
    m11_index_outlives_close,      ///< A9: the wal-index stays attached after the last close
    m12_not_marked_attached,       ///< A10: DMS is not held while a connection is open
    m13_read0_kept,                ///< A6: READ0 stays locked after its last reader, until a tick
    m14_upgrade_waits,             ///< C2: a reader that wants to write waits in the writers' line
    m15_timeout_is_busy,           ///< C3: SQLITE_BUSY after a wait, so that SQLite waits once more
    m16_wake_up_lost,              ///< C5: a waiter whose time is over takes its wake-up along
    m17_barging_unlimited,         ///< C8: who waits longest never gets the turn outright
    s1_alone_left_without_locks,   ///< E3: what is used here is unlocked when alone mode ends
    s2_size_kept,                  ///< the size is remembered though the wal-index changed
    s3_published_before_written,   ///< the frames of a commit are written when WRITE is given back
    s4_governor_is_heard,          ///< a writer hears BUSY because of the governor's checkpoint
    s5_readers_not_looked_at,      ///< exclusivity without a look at the readers' lines
    s6_map_beyond_the_end,         ///< the log's mapping is read where the file has not been seen
    s7_gate_shut_too_late,         ///< the gate is shut after the look at the lines
    s8_others_not_kept_out,        ///< B21: other processes go on after a failed sync
    s9_checkpoint_put_off,         ///< B4: the checkpointer's sync of the log is put off
    s10_database_not_synced,       ///< the database is not synced at the end of a checkpoint
    s11_rolled_back_is_kept,       ///< what a rolled back transaction gathered is written later
    s12_name_not_synced,           ///< B5: the new log's folder is not synced
    s13_database_error_forgotten,  ///< a failed sync of the database poisons nothing
    s14_child_is_not_refused,      ///< A11: a forked child may use what its parent opened
    s15_pending_forgotten,         ///< B11: a sync that was put off and not asked for is dropped
    s16_pending_not_respected,     ///< new readers enter while a writer waits for the old ones
    s17_index_emptied,             ///< A10: whoever attaches empties the index that others use
    s18_alone_in_company,          ///< E1: alone mode begins while others are attached
    s19_alone_goes_on,             ///< E2: alone mode does not end when others come
    s20_rewrite_overtakes,     ///< frames are rewritten in place before gathered ones are written
    s21_failed_flush_drops,    ///< frames that could not be written are forgotten
    s22_recovery_not_noticed,  ///< the size is remembered across a recovery
    s23_more_than_commit_put_off,  ///< B1: syncs of headers and rewritten frames are put off, too
    s24_gate_not_looked_at,        ///< a reader enters though somebody has the slot to himself
    s25_marker_not_left,           ///< B22: a failed sync leaves no marker
    s26_marker_ignored,            ///< B22: a log that lacks what was acknowledged is opened
    s27_durable_read_waits_not,    ///< B14: a durable read does not wait for the sync
    s28_durable_told_early,        ///< B14: observers hear of a commit's sync before it is done
    s29_restart_not_agreed,        ///< the log begins anew though an observer still reads it
    s30_circle_waits,              ///< C10: writers of two databases wait for each other
    s31_lost_index_not_noticed,    ///< locks of a wal-index that was deleted are given
    s32_no_room_for_others,        ///< C8: WRITE is taken again at once while others want it
};

#ifdef SKIFF_MUTANTS
/// Whether this process has that bug.
[[nodiscard]] inline bool is_seeded(mutant which) noexcept {
    static const int chosen = [] {
        const char* named = std::getenv("SKIFF_MUTANT");
        return named != nullptr ? std::atoi(named) : 0;
    }();
    return chosen == static_cast<int>(which);
}
#else
/// Never, and no code is left of it.
[[nodiscard]] consteval bool is_seeded(mutant) noexcept {
    return false;
}
#endif

}  // namespace skiff::vfs
