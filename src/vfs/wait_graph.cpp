// The newest to wait looks, and that is enough: whoever has a turn and begins to wait is the
// newest.
#include "vfs/wait_graph.hpp"

#include "base/mutex.hpp"
#include "vfs/process.hpp"
#include "vfs/write_turn.hpp"

#include <map>
#include <new>

namespace skiff::vfs {

namespace {

struct waits {
    mutex guard;
    std::map<const void*, const write_turn*> wanted SKIFF_GUARDED_BY(guard);  ///< by connection

    /// Whether `connection` has what the one in front waits for, or the one in front of that.
    [[nodiscard]] bool lead_back(const void* connection, const write_turn* turn) const noexcept
        SKIFF_REQUIRES(guard) {
        // Each step is another connection that waits: they cannot be more than there are.
        for (std::size_t steps = 0; steps <= wanted.size(); ++steps) {
            const void* owner = turn->owner();
            if (owner == connection) return true;
            const auto next = wanted.find(owner);
            if (next == wanted.end()) return false;
            turn = next->second;
        }
        return false;
    }
};

}  // namespace

turn_wait::turn_wait(const void* connection, const write_turn& wanted) noexcept
    : connection_(connection) {
    if (connection == nullptr) return;
    auto& all = process::the_only<waits>();
    const mutex_lock lock(all.guard);
    closes_circle_ = all.lead_back(connection, &wanted);
    if (closes_circle_) {
        connection_ = nullptr;
        return;
    }
    try {
        all.wanted.emplace(connection, &wanted);
    } catch (const std::bad_alloc&) {
        connection_ = nullptr;  // waits unseen
    }
}

turn_wait::~turn_wait() {
    if (connection_ == nullptr) return;
    auto& all = process::the_only<waits>();
    const mutex_lock lock(all.guard);
    all.wanted.erase(connection_);
}

}  // namespace skiff::vfs
