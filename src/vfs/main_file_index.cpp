// The wal-index of a connection: its locks, and what a commit does once WRITE is free again.
#include "base/delay_point.hpp"
#include "vfs/io_error.hpp"
#include "vfs/main_file.hpp"
#include "vfs/mutant.hpp"
#include "vfs/wait_graph.hpp"
#include "vfs/wal_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#if defined(__has_feature)
#define SKIFF_HAS_FEATURE(name) __has_feature(name)
#else
#define SKIFF_HAS_FEATURE(name) 0
#endif

namespace skiff::vfs {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Pauses while another process holds a lock (rule C7).
constexpr microseconds pause_min{50};
constexpr microseconds pause_max{1000};
/// How long a writer asks without a pause: at first, and after each pause.
constexpr microseconds eager_first{1000};
constexpr microseconds eager_later{100};
/// A checkpoint under WRITE takes no longer: most was copied before, and it gives up on readers.
constexpr milliseconds governor_max{5000};
/// Measured with 8 readers and 8 writers on 2 processors, beside SQLite's VFS with and without a
/// mapping: 100 wins both reads and writes, 1,000 leaves the writers behind
/// (docs/internals/vfs.md).
constexpr int reads_between_yields = 100;

/// Orders what SQLite writes to and reads from the wal-index (rule A13).
void full_barrier() noexcept {
#if defined(__SANITIZE_THREAD__) || SKIFF_HAS_FEATURE(thread_sanitizer)
    static mutex ordered;  // the thread sanitizer does not know fences
    const mutex_lock lock(ordered);
#endif
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Where the newest commit ends, from a wal-index header (sqlite3.c, WalIndexHdr: mxFrame, aSalt).
/// A header that is just being written gives a position that never was.
log_position newest_visible(const volatile void* header) noexcept {
    constexpr std::size_t frame_at = 16;
    constexpr std::size_t salt_at = 32;
    const auto* bytes = static_cast<const char*>(const_cast<const void*>(header));
    log_position found;
    std::memcpy(&found.frame, bytes + frame_at, sizeof(found.frame));
    std::memcpy(found.salt.data(), bytes + salt_at, found.salt.size());
    return found;
}

}  // namespace

int main_file::map_index(int region,
                         int region_bytes,
                         bool extend,
                         void volatile** mapped) noexcept {
    if (!index_) {
        int code = SQLITE_OK;
        auto attached = shared_->attach_index(fd_, code);
        if (!attached) return code;
        slots_ = attached->slots().attach();
        if (slots_ == nullptr) return SQLITE_NOMEM;
        index_ = std::move(attached);
    }
    return index_->map(region, region_bytes, extend, mapped);
}

int main_file::unmap_index(bool delete_file) noexcept {
    if (!index_) return SQLITE_OK;
    // The index of another empty log looks the same, byte for byte.
    remembered_size_ = -1;
    index_->slots().detach(*std::exchange(slots_, nullptr));
    if (std::exchange(has_turn_, false)) shared_->turn.give_back();
    shared_->detach_index(index_, delete_file);
    return SQLITE_OK;
}

void main_file::index_barrier() noexcept {
    // Frames must be in the file before the wal-index tells others of them.
    if (is_seeded(mutant::s3_published_before_written)) return full_barrier();
    if (wal_ != nullptr) wal_->flush_at_barrier();
    passes(delay_point::frames_written);
    full_barrier();
}

main_file::clock::time_point main_file::lock_deadline() const noexcept {
    if (lock_timeout_ms_ < 0) return clock::time_point::max();
    return clock::now() + milliseconds(lock_timeout_ms_);
}

int main_file::lock_index(int first, int count, int flags) noexcept {
    if (!index_) return SQLITE_IOERR_SHMLOCK;
    switch (flags) {
        case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED:
            if (shared_->turn.is_wanted()) [[unlikely]]
                let_writers_run();
            return index_->slots().lock_shared(*slots_, first);
        case SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED:
            index_->slots().unlock_shared(*slots_, first);
            return SQLITE_OK;
        case SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE:
            return lock_index_exclusively(first, count);
        default:
            return unlock_index_exclusively(first, count);
    }
}

/// Readers that never sleep keep the processors; a writer that was woken would wait for the end of
/// their time slices, milliseconds for each commit.
void main_file::let_writers_run() noexcept {
    if (++reads_beside_writers_ < reads_between_yields) return;
    reads_beside_writers_ = 0;
    os::yield_processor();
}

/// Another checkpoint than the governor's, as SQLite's automatic one after each commit on a long
/// log: it would leave CKPT free for moments only. But those who commit faster than the disk takes
/// it must wait for the disk, or the log would grow without end.
bool main_file::gives_way_to_governor() const noexcept {
    const auto& governor = shared_->checkpoints;
    if (is_governors_ || !governor.is_at_work()) return false;
    const auto until = clock::now() + governor_max;
    while (governor.is_awaited() && clock::now() < until) std::this_thread::sleep_for(pause_min);
    return governor.is_at_work();
}

int main_file::lock_index_exclusively(int first, int count) noexcept {
    const bool is_write = first == write_slot;
    // Rule C2: who holds a read mark never waits for the writer; it would be refused in the end.
    const bool reads = (slots_->shared.load(std::memory_order_relaxed) & read_bits) != 0 &&
                       !is_seeded(mutant::m14_upgrade_waits);
    const bool waits = lock_timeout_ms_ != 0 && !(is_write && reads);
    if (is_write) {
        // What an earlier commit left to sync comes first (rule B11).
        if (is_seeded(mutant::s15_pending_forgotten)) pending_ = 0;
        if (const int code = finish_commit()) return code;
    }
    const slot_mask changing = write_bit | checkpoint_bit;
    if ((bits_of(first, count) & changing) != 0 && is_poisoned()) return SQLITE_IOERR_FSYNC;
    if (first == checkpoint_slot && !waits && gives_way_to_governor()) return SQLITE_BUSY;
    auto until = clock::time_point::min();  // asked for when there is a wait
    if (is_write && count == 1) {
        const bool in_vain = waits && !is_seeded(mutant::m15_timeout_is_busy);
        if (!take_write_turn(waits, until)) return in_vain ? SQLITE_BUSY_TIMEOUT : SQLITE_BUSY;
    }
    passes(delay_point::turn_before_lock);
    int code = index_->slots().lock_exclusive(*slots_, first, count);
    if (code == SQLITE_BUSY && waits) {
        if (until == clock::time_point::min()) until = lock_deadline();
        code = poll_exclusive(first, count, until);
    }
    if (is_seeded(mutant::m15_timeout_is_busy) && code == SQLITE_BUSY_TIMEOUT) code = SQLITE_BUSY;
    if (code != SQLITE_OK && is_write && std::exchange(has_turn_, false)) {
        shared_->turn.give_back();
    }
    if (code == SQLITE_OK && is_write && wal_ != nullptr) wal_->begin_transaction();
    if (code == SQLITE_OK && is_write && has_turn_) note_rivals();
    return code;
}

/// Whether the newest commit is another process's, asked while nobody else can write.
void main_file::note_rivals() noexcept {
    if (index_->slots().is_alone()) return;
    auto* log = wal_ != nullptr ? wal_->log() : nullptr;
    const bool can_tell = log != nullptr && index_->header() != nullptr;
    const log_position visible = can_tell ? newest_visible(index_->header()) : log_position{};
    const bool others_wrote = visible.frame != 0 && visible != log->syncs.newest().position;
    shared_->among_processes.begin(others_wrote, clock::now());
}

/// The turn is kept meanwhile: it is not for the next one here that WRITE is free.
void main_file::leave_room() noexcept {
    if (index_->slots().is_alone() || is_governors_) return;
    auto& turns = shared_->among_processes;
    const auto pause = turns.end(clock::now());
    if (pause == pause.zero() || !index_->is_shared()) return;
    if (is_seeded(mutant::s32_no_room_for_others)) return;
    turns.count_pause();
    std::this_thread::sleep_for(pause);
}

/// Nobody hears "busy" because of the governor: a program with one connection knows no other
/// writer.
bool main_file::take_write_turn(bool waits, clock::time_point& until) noexcept {
    auto& turn = shared_->turn;
    has_turn_ = turn.take_if_free(waits, is_governors_);
    if (!has_turn_) {
        const turn_wait waiting(connection_, turn);
        const bool gives_way = waiting.closes_circle() && !is_seeded(mutant::s30_circle_waits);
        if (gives_way) return false;  // rule C10
        if (waits) {
            until = lock_deadline();
            has_turn_ = turn.take(until, is_governors_);
        }
        if (!has_turn_ && !is_governors_) {
            has_turn_ = turn.take_after_governor(clock::now() + governor_max);
        }
    }
    if (has_turn_) turn.set_owner(connection_);
    return has_turn_;
}

/// Another process holds the lock, or readers do that a checkpoint waits for.
int main_file::poll_exclusive(int first, int count, clock::time_point until) noexcept {
    const bool is_eager = first == write_slot && !is_governors_;
    if (is_eager) {
        const auto way = std::min(shared_->among_processes.give_way(), until - clock::now());
        if (way >= pause_min) std::this_thread::sleep_for(way);
    }
    auto asks_for = eager_first;
    for (auto pause = pause_min;; pause = std::min(pause * 2, pause_max)) {
        int code = SQLITE_BUSY;
        if (is_eager) code = ask_eagerly(std::min(until, clock::now() + asks_for));
        if (code != SQLITE_BUSY) return code;
        asks_for = eager_later;
        if (clock::now() >= until) return SQLITE_BUSY_TIMEOUT;  // rule C3
        // The reader that is in the way may be a writer that waits for the governor.
        if (is_governors_ && shared_->turn.governor_is_awaited()) return SQLITE_BUSY;
        std::this_thread::sleep_for(pause);
        code = index_->slots().lock_exclusive(*slots_, first, count);
        if (code != SQLITE_BUSY) return code;
    }
}

/// For WRITE, again and again: a process that syncs while it holds WRITE leaves it free for
/// microseconds between two commits, and pauses would miss them for a hundred commits.
int main_file::ask_eagerly(clock::time_point until) noexcept {
    constexpr microseconds between{5};
    for (auto now = clock::now(); now < until; now = clock::now()) {
        const int code = index_->slots().lock_exclusive(*slots_, write_slot, 1);
        if (code != SQLITE_BUSY) return code;
        while (clock::now() < now + between) os::yield_processor();
    }
    return SQLITE_BUSY;
}

int main_file::unlock_index_exclusively(int first, int count) noexcept {
    if (first == write_slot && wal_ != nullptr) wal_->end_transaction();
    const int code = index_->slots().unlock_exclusive(*slots_, first, count);
    passes(delay_point::lock_before_turn);
    if (first == write_slot && std::exchange(has_turn_, false)) {
        leave_room();
        shared_->turn.give_back();
    }
    keep_others_out_when_poisoned();
    return code;
}

/// Rule B21: another process must neither append behind frames that may be missing on the disk, nor
/// copy them into the database from the page cache.
void main_file::keep_others_out_when_poisoned() noexcept {
    if (!is_poisoned() || is_seeded(mutant::s8_others_not_kept_out)) return;
    if (index_) index_->shut_out_writers();
    shared_->mark_unsynced(*wal_->log());
}

bool main_file::may_defer_sync() const noexcept {
    return slots_ != nullptr && powersafe_overwrite_ && (slots_->exclusive & write_bit) != 0 &&
           ((slots_->exclusive & checkpoint_bit) == 0 || is_seeded(mutant::s9_checkpoint_put_off));
}

void main_file::defer_sync(std::shared_ptr<wal_log> log, sync_group::ticket mine) noexcept {
    pending_log_ = std::move(log);
    pending_ = mine;
}

/// Rule B16: nothing but OK and I/O errors leaves here; SQLITE_BUSY would corrupt the connection.
int main_file::finish_commit() noexcept {
    if (pending_ == 0) return SQLITE_OK;
    passes(delay_point::commit_published);
    const auto log = std::exchange(pending_log_, nullptr);
    log->group_commits.fetch_add(1, std::memory_order_relaxed);
    const auto mine = std::exchange(pending_, 0);
    if (is_seeded(mutant::m3_acknowledged_before_sync)) return SQLITE_OK;
    return wait_for_sync(*log, mine);
}

int main_file::wait_for_sync(wal_log& log, sync_group::ticket wanted) noexcept {
    last_errno_ = log.syncs.wait(wanted, log.fd);
    if (last_errno_ != 0) {
        keep_others_out_when_poisoned();
        if (is_seeded(mutant::m4_failure_is_not_found)) return SQLITE_NOTFOUND;
        if (is_seeded(mutant::m5_failure_is_busy)) return SQLITE_BUSY;
        return SQLITE_IOERR_FSYNC;
    }
    passes(delay_point::commit_synced);
    shared_->observers.durable(wanted);
    return SQLITE_OK;
}

/// Rule B14. The newest commit that anybody can see is the wal-index's; when it is not this
/// process's newest, it may be another's, of which nothing is known.
int main_file::wait_durable() noexcept {
    if (is_seeded(mutant::s27_durable_read_waits_not)) return SQLITE_OK;
    if (const int code = finish_commit()) return code;
    auto* log = wal_ != nullptr ? wal_->log() : nullptr;
    if (log == nullptr || !index_ || index_->header() == nullptr) return sync();
    const log_position visible = newest_visible(index_->header());
    if (visible.frame == 0) return SQLITE_OK;  // all of it was checkpointed
    const auto newest = log->syncs.newest();
    if (newest.position == visible && log->is_prepared()) return wait_for_sync(*log, newest.number);
    if (!log->prepare()) return wal_->sync();
    return wait_for_sync(*log, log->syncs.take());
}

/// An empty log makes SQLite ask for the file's size in each read transaction. While the wal-index
/// says that nothing was ever committed to this log, no checkpoint can have changed the file, and
/// whoever changes it without the log must first keep all readers out, this one too. The header is
/// compared whole, both copies: docs/internals/vfs.md has the proof.
/// All empty logs have the same index after a recovery, and somebody may have had the file to
/// himself before one (SQLite's "superlock"): so only as long as no other process could lock
/// anything, and nobody here recovered. Otherwise the locks cost more than the size.
bool main_file::size_is_remembered(std::int64_t& bytes) noexcept {
    if (!index_ || lock_.level() != SQLITE_LOCK_SHARED) return false;
    const auto since = index_->slots().undisturbed_since();
    if (since == 0 || std::exchange(remembered_since_, since) != since) remembered_size_ = -1;
    const volatile void* header = index_->header();
    if (remembered_size_ < 0 || header == nullptr) return false;
    if (std::memcmp(const_cast<const void*>(header), size_key_.data(), size_key_.size()) != 0 &&
        !is_seeded(mutant::s2_size_kept)) {
        remembered_size_ = -1;
        return false;
    }
    bytes = remembered_size_;
    return true;
}

void main_file::remember_size(std::int64_t bytes) noexcept {
    if (!index_ || lock_.level() != SQLITE_LOCK_SHARED || slots_->exclusive != 0) return;
    if (index_->slots().undisturbed_since() != remembered_since_ || remembered_since_ == 0) return;
    const volatile void* header = index_->header();
    if (header == nullptr) return;
    std::memcpy(size_key_.data(), const_cast<const void*>(header), size_key_.size());
    // sqlite3.c, WalIndexHdr: mxFrame and nPage, both 0 in a log that nothing was committed to.
    constexpr std::size_t frames_at = 16;
    constexpr std::uint64_t none = 0;
    if (std::memcmp(size_key_.data() + frames_at, &none, sizeof(none)) == 0) {
        remembered_size_ = bytes;
    }
}

}  // namespace skiff::vfs
