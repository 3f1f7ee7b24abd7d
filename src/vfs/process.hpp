// Which process this is. After a fork the child has the parent's descriptors, whose locks are the
// parent's too, and none of its threads: it must not use what the parent opened (rule A11).
#pragma once

#include <atomic>
#include <cstdint>

namespace skiff::vfs::process {

/// Changes in each forked child.
[[nodiscard]] std::uint64_t generation() noexcept;
/// Descriptors that a child must not keep: their locks would live as long as it does.
void note_opened(int fd) noexcept;
/// False when the descriptor was closed by a fork already, so that its number may be another
/// file's.
[[nodiscard]] bool note_closed(int fd) noexcept;
/// Makes forks noticed. Once, before anything is opened.
void watch_forks() noexcept;

/// The process's one object of a type. A forked child makes its own: the parent's may be locked for
/// ever by a thread that the child has not got. Never destroyed, since objects in static storage
/// may use it until the very end. Thread-safe.
template <class T>
T& the_only() {
    struct holder {
        std::uint64_t made_in = generation();
        T object;
    };
    static std::atomic<holder*> current{new holder};
    holder* found = current.load(std::memory_order_acquire);
    while (found->made_in != generation()) [[unlikely]] {
        auto* fresh = new holder;
        if (current.compare_exchange_strong(found, fresh)) return fresh->object;
        delete fresh;
    }
    return found->object;
}

}  // namespace skiff::vfs::process
