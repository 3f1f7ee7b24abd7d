// Calls are made under the mutex, so that an observer may die as soon as end() has returned.
#include "vfs/observation.hpp"

#include <new>

namespace skiff::vfs {

bool observation::begin(wal_observer& observer) noexcept {
    const mutex_lock lock(guard_);
    try {
        observers_.push_back(&observer);
    } catch (const std::bad_alloc&) {
        return false;
    }
    is_on_.store(true, std::memory_order_release);
    return true;
}

void observation::end(wal_observer& observer) noexcept {
    const mutex_lock lock(guard_);
    std::erase(observers_, &observer);
    is_on_.store(!observers_.empty(), std::memory_order_release);
}

void observation::durable(sync_group::ticket number) noexcept {
    if (!is_on_.load(std::memory_order_acquire)) return;
    const mutex_lock lock(guard_);
    if (number <= told_durable_) return;
    told_durable_ = number;
    for (auto* each : observers_) each->durable(number);
}

}  // namespace skiff::vfs
