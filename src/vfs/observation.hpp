// The observers of one database's log in this process.
#pragma once

#include "base/mutex.hpp"
#include "vfs/wal_observer.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace skiff::vfs {

/// Thread-safe. One atomic load where nobody observes.
class observation {
  public:
    /// False without memory.
    bool begin(wal_observer& observer) noexcept SKIFF_EXCLUDES(guard_);
    /// When it returns, no call of the observer runs or will.
    void end(wal_observer& observer) noexcept SKIFF_EXCLUDES(guard_);

    void committed(const wal_commit& commit) noexcept {
        tell([&](wal_observer& each) { each.committed(commit); });
    }
    void log_restarts() noexcept {
        tell([](wal_observer& each) { each.log_restarts(); });
    }
    /// Numbers that are no news are passed over.
    void durable(sync_group::ticket number) noexcept SKIFF_EXCLUDES(guard_);
    [[nodiscard]] bool may_restart() noexcept {
        bool all_agree = true;
        tell([&](wal_observer& each) { all_agree = each.may_restart() && all_agree; });
        return all_agree;
    }

  private:
    template <class Call>
    void tell(Call&& call) noexcept SKIFF_EXCLUDES(guard_) {
        if (!is_on_.load(std::memory_order_acquire)) [[likely]]
            return;
        const mutex_lock lock(guard_);
        for (auto* each : observers_) call(*each);
    }

    std::atomic<bool> is_on_{false};
    mutex guard_;
    std::vector<wal_observer*> observers_ SKIFF_GUARDED_BY(guard_);
    sync_group::ticket told_durable_ SKIFF_GUARDED_BY(guard_) = 0;
};

}  // namespace skiff::vfs
