// SQLite writes a header, then for each frame its header and its page; wal_format.hpp has the
// format.
#include "vfs/wal_file.hpp"

#include "base/delay_point.hpp"
#include "vfs/io_error.hpp"
#include "vfs/main_file.hpp"
#include "vfs/mutant.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace skiff::vfs {

namespace {

constexpr std::int64_t first_frame = wal_header_bytes;
/// Larger transactions are written in pieces of this size.
constexpr std::size_t gathered_max = std::size_t{256} * 1024;

/// Logs shorter than this grow as they are written: most programs' stay so short.
constexpr std::int64_t reserve_from_bytes = std::int64_t{128} << 10;
/// Space that is reserved at once: as much as there is, between these.
constexpr std::int64_t reserve_min_bytes = std::int64_t{64} << 10;
constexpr std::int64_t reserve_max_bytes = std::int64_t{1} << 20;

}  // namespace

wal_file::wal_file(main_file& database,
                   int fd,
                   std::string path,
                   std::shared_ptr<wal_log> log) noexcept
    : database_(&database), log_(std::move(log)), fd_(fd), path_(std::move(path)) {}

wal_file::~wal_file() {
    if (database_ != nullptr) database_->set_wal(nullptr);
    os::close_file(fd_);
}

int wal_file::read(void* target, int bytes, std::int64_t offset) noexcept {
    if (const int code = flush()) return code;
    const auto count = static_cast<std::size_t>(bytes);
    const bool maps = database_ != nullptr && database_->maps();
    if (maps && (log_->is_prepared() || log_->prepare())) {
        const std::byte* found = log_->map.find(offset, count);
        if (found == nullptr) found = log_->map.find_again(log_->fd, offset, count);
        if (is_seeded(mutant::s6_map_beyond_the_end) && log_->map.is_open()) {
            found = log_->map.find(0, 0) + offset;
        }
        if (found != nullptr) {
            std::memcpy(target, found, count);
            return SQLITE_OK;
        }
    }
    const auto got = os::read_at(fd_, target, count, offset);
    if (got < 0) return SQLITE_IOERR_READ;
    if (got == bytes) return SQLITE_OK;
    std::memset(static_cast<char*>(target) + got, 0, static_cast<std::size_t>(bytes - got));
    return SQLITE_IOERR_SHORT_READ;
}

int wal_file::append(const void* source, int bytes) noexcept {
    const auto* begin = static_cast<const std::byte*>(source);
    try {
        gathered_.insert(gathered_.end(), begin, begin + bytes);
    } catch (const std::bad_alloc&) {
        return SQLITE_IOERR_NOMEM;
    }
    return SQLITE_OK;
}

int wal_file::write(const void* source, int bytes, std::int64_t offset) noexcept {
    if (log_->syncs.poisoned_by() != 0) return SQLITE_IOERR_WRITE;  // rule B19
    const int code = gather(source, bytes, offset);
    // SQLite rolls the whole transaction back: nothing of it may reach the file later.
    if (code != SQLITE_OK) drop_gathered();
    return code;
}

int wal_file::gather(const void* source, int bytes, std::int64_t offset) noexcept {
    const auto end = gathered_at_ + static_cast<std::int64_t>(gathered_.size());
    const bool follows = !gathered_.empty() && offset == end;
    const bool appends = offset >= first_frame && offset >= appended_to_;
    appended_to_ = std::max(appended_to_, offset + bytes);
    ended_at_commit_ = 0;
    // Headers are rewritten alone, too, when pages of an open transaction were changed in place.
    if (bytes == frame_header_bytes && appends && !page_follows_) {
        if (!follows) {
            if (const int code = flush()) return code;
            gathered_at_ = offset;
        }
        page_follows_ = true;
        pages_after_ = pages_after(source);
        salt_ = salt_of_frame(source);
        if (transaction_at_ == 0) transaction_at_ = offset;
        return append(source, bytes);
    }
    if (!page_follows_ || !follows) {
        const int code = is_seeded(mutant::s20_rewrite_overtakes) ? SQLITE_OK : flush();
        if (code != SQLITE_OK) return code;
        const bool begins_anew = offset == 0 && database_ != nullptr;
        if (begins_anew) database_->shared().observers.log_restarts();
        return write_now(source, bytes, offset);
    }
    page_follows_ = false;
    if (const int code = append(source, bytes)) return code;
    if (is_seeded(mutant::s3_published_before_written)) return SQLITE_OK;
    const bool commits = pages_after_ != 0;
    if (commits && database_ != nullptr && database_->has_lost_index()) return SQLITE_IOERR_SHMOPEN;
    if (!commits && gathered_.size() < gathered_max) return SQLITE_OK;
    const int code = flush();
    if (code == SQLITE_OK && commits) note_commit(offset + bytes, bytes);
    return code;
}

/// The frames of a transaction are in the file, and nobody has seen them yet.
void wal_file::note_commit(std::int64_t end, int page_bytes) noexcept {
    log_->committed_bytes.store(end, std::memory_order_relaxed);
    const log_position last{salt_, frame_ending_at(end, page_bytes)};
    ended_at_commit_ = log_->syncs.take(last);
    if (database_ == nullptr) return;
    auto& shared = database_->shared();
    shared.checkpoints.note_commit(end);
    const std::int64_t first_end = transaction_at_ + frame_header_bytes + page_bytes;
    shared.observers.committed({.number = ended_at_commit_,
                                .last = last,
                                .first_frame = frame_ending_at(first_end, page_bytes),
                                .page_bytes = page_bytes,
                                .database_pages = pages_after_});
}

int wal_file::write_now(const void* source, int bytes, std::int64_t offset) noexcept {
    const int error = os::write_at(fd_, source, static_cast<std::size_t>(bytes), offset);
    return error == 0 ? SQLITE_OK : write_error(error, SQLITE_IOERR_WRITE);
}

/// After an error the frames stay gathered. A read that met it does not end the transaction, and
/// SQLite counts on what it wrote: the next call writes them again, and fails again as long as that
/// does.
int wal_file::flush() noexcept {
    if (kept_error_ != SQLITE_OK) return std::exchange(kept_error_, SQLITE_OK);
    if (gathered_.empty()) return SQLITE_OK;
    passes(delay_point::frames_gathered);
    const int code = write_now(gathered_.data(), static_cast<int>(gathered_.size()), gathered_at_);
    if (code == SQLITE_OK || is_seeded(mutant::s21_failed_flush_drops)) drop_gathered();
    return code;
}

void wal_file::end_transaction() noexcept {
    if (is_seeded(mutant::s11_rolled_back_is_kept)) return;
    if (is_seeded(mutant::s3_published_before_written)) static_cast<void>(flush());
    drop_gathered();
}

void wal_file::drop_gathered() noexcept {
    gathered_.clear();
    page_follows_ = false;
    kept_error_ = SQLITE_OK;
}

int wal_file::truncate(std::int64_t bytes) noexcept {
    if (const int code = flush()) return code;
    log_->map.note_size(bytes);
    log_->reserved_bytes.store(0, std::memory_order_relaxed);
    return os::truncate_to(fd_, bytes) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int wal_file::size(std::int64_t& bytes) noexcept {
    if (const int code = flush()) return code;
    bytes = os::size_of(fd_);
    if (bytes < 0) return SQLITE_IOERR_FSTAT;
    log_->map.note_size(bytes);
    return SQLITE_OK;
}

/// Rule B1: only the sync of a commit, by whoever holds WRITE and is no checkpointer. The header's
/// sync is a barrier (B3), the checkpointer's orders the database behind the log (B4).
bool wal_file::may_defer_sync() const noexcept {
    const bool ended = ended_at_commit_ != 0 || is_seeded(mutant::s23_more_than_commit_put_off);
    return log_->is_prepared() && database_ != nullptr && ended && database_->may_defer_sync() &&
           log_->committed_bytes.load(std::memory_order_relaxed) < governor::hard_limit_bytes;
}

int wal_file::sync() noexcept {
    if (const int code = flush()) return code;
    if (log_->syncs.poisoned_by() != 0) return SQLITE_IOERR_FSYNC;
    if (is_seeded(mutant::m1_header_sync_skipped) && appended_to_ == first_frame) return SQLITE_OK;
    // The first sync of a log in this process makes its name last, too (rule B5).
    const bool is_named = log_->directory_synced.load(std::memory_order_acquire);
    if (!is_named || !may_defer_sync()) return sync_now();
    reserve_space();
    if (is_seeded(mutant::s28_durable_told_early)) {
        database_->shared().observers.durable(ended_at_commit_);
    }
    database_->defer_sync(log_, ended_at_commit_);
    return SQLITE_OK;
}

/// A sync of a file that has grown writes where its new blocks are, too, which can take ten times
/// as long as the data alone. So when commits are synced, zeros are written ahead of them now and
/// then: a frame of zeros is none (its salt is wrong). Only beyond the end of the file, and with
/// WRITE held, so that nobody else's frames can be there. Without space nothing is reserved.
void wal_file::reserve_space() noexcept {
    static constexpr std::array<std::byte, reserve_min_bytes> zeros{};
    const std::int64_t end = log_->committed_bytes.load(std::memory_order_relaxed);
    const std::int64_t next_commit = end + std::min(end - transaction_at_, reserve_min_bytes);
    auto& reserved = log_->reserved_bytes;
    // Another log: whoever ended the one before may have made the file short.
    if (std::exchange(log_->reserved_for, salt_) != salt_) reserved.store(0);
    if (end < reserve_from_bytes || next_commit <= reserved.load(std::memory_order_relaxed)) return;
    std::int64_t size = os::size_of(fd_);
    const std::int64_t wanted = end + std::clamp(end, reserve_min_bytes, reserve_max_bytes);
    if (size >= next_commit) {  // as after a reset: the file stays as long as it was
        reserved.store(size, std::memory_order_relaxed);
        return;
    }
    while (size >= end && size < wanted) {
        const auto bytes = static_cast<std::size_t>(std::min(wanted - size, reserve_min_bytes));
        if (os::write_at(fd_, zeros.data(), bytes, size) != 0) break;
        size += static_cast<std::int64_t>(bytes);
    }
    reserved.store(size, std::memory_order_relaxed);
}

int wal_file::sync_now() noexcept {
    const auto covered = log_->syncs.newest();
    int error = os::sync_data(fd_);
    // A new file's name must last as well (rule B5).
    if (error == 0 && !log_->directory_synced.load(std::memory_order_acquire)) {
        if (!is_seeded(mutant::s12_name_not_synced)) error = os::sync_directory_of(path_.c_str());
        if (error == 0) log_->directory_synced.store(true, std::memory_order_release);
    }
    if (error != 0) {
        log_->syncs.poison(error);
        return SQLITE_IOERR_FSYNC;
    }
    log_->syncs.note_synced(covered);
    if (database_ != nullptr) database_->shared().observers.durable(covered.number);
    return SQLITE_OK;
}

}  // namespace skiff::vfs
