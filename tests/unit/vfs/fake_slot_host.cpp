// Ranges are locked whole or not at all, as fcntl does it.
#include "unit/vfs/fake_slot_host.hpp"

#include <cerrno>

namespace skiff_test {

namespace {

constexpr std::size_t calls_kept = 1000;
constexpr std::size_t faults_kept = 20;

bool collide(lock_kind one, lock_kind other) {
    if (one == lock_kind::none || other == lock_kind::none) return false;
    return one == lock_kind::exclusive || other == lock_kind::exclusive;
}

char letter(lock_kind kind) {
    return kind == lock_kind::exclusive ? 'w' : kind == lock_kind::shared ? 'r' : '-';
}

std::size_t end_of(int first, int count) {
    return static_cast<std::size_t>(first) + static_cast<std::size_t>(count);
}

}  // namespace

int fake_slot_host::lock_slots(lock_kind kind, int first, int count) noexcept {
    const std::lock_guard lock(guard_);
    if (calls_.size() < calls_kept) calls_.push_back({kind, first, count});
    if (const int wanted = error.load()) return wanted;
    if (const int wanted = unlock_error.load(); wanted != 0 && kind == lock_kind::none) {
        return wanted;
    }
    const auto begin = static_cast<std::size_t>(first);
    for (auto at = begin; at < end_of(first, count); ++at) {
        if (collide(kind, elsewhere_[at])) return EAGAIN;
    }
    for (auto at = begin; at < end_of(first, count); ++at) here_[at] = kind;
    check("a kernel call");
    return 0;
}

bool fake_slot_host::take_elsewhere(lock_kind kind, int first, int count) {
    const std::lock_guard lock(guard_);
    const auto begin = static_cast<std::size_t>(first);
    for (auto at = begin; at < end_of(first, count); ++at) {
        if (collide(kind, here_[at])) return false;
    }
    for (auto at = begin; at < end_of(first, count); ++at) elsewhere_[at] = kind;
    check("another process came");
    return true;
}

void fake_slot_host::release_elsewhere(int first, int count) {
    const std::lock_guard lock(guard_);
    for (auto at = static_cast<std::size_t>(first); at < end_of(first, count); ++at) {
        elsewhere_[at] = lock_kind::none;
    }
}

void fake_slot_host::begin_use(lock_kind kind, int first, int count) {
    const std::lock_guard lock(guard_);
    for (auto at = static_cast<std::size_t>(first); at < end_of(first, count); ++at) {
        ++(kind == lock_kind::exclusive ? uses_[at].exclusive : uses_[at].shared);
    }
    check("a lock was granted");
}

void fake_slot_host::end_use(lock_kind kind, int first, int count) {
    const std::lock_guard lock(guard_);
    for (auto at = static_cast<std::size_t>(first); at < end_of(first, count); ++at) {
        --(kind == lock_kind::exclusive ? uses_[at].exclusive : uses_[at].shared);
    }
}

lock_kind fake_slot_host::used(std::size_t at) const {
    if (uses_[at].exclusive > 0) return lock_kind::exclusive;
    return uses_[at].shared > 0 ? lock_kind::shared : lock_kind::none;
}

void fake_slot_host::check(const char* when) {
    for (std::size_t at = 0; at < slots; ++at) {
        const bool weak = here_[at] < used(at);
        const bool mixed =
            uses_[at].exclusive > 1 || (uses_[at].exclusive == 1 && uses_[at].shared > 0);
        if ((weak || mixed || collide(used(at), elsewhere_[at])) && faults_.size() < faults_kept) {
            faults_.push_back(std::string("byte ") + std::to_string(at) + " is used as " +
                              letter(used(at)) + " by " + std::to_string(uses_[at].shared) +
                              " readers, locked as " + letter(here_[at]) + ", elsewhere " +
                              letter(elsewhere_[at]) + ", when " + when);
        }
    }
}

std::string fake_slot_host::kernel_state() const {
    const std::lock_guard lock(guard_);
    std::string state;
    for (const auto kind : here_) state += letter(kind);
    return state;
}

std::string fake_slot_host::use_state() const {
    const std::lock_guard lock(guard_);
    std::string state;
    for (std::size_t at = 0; at < slots; ++at) state += letter(used(at));
    return state;
}

std::vector<fake_slot_host::call> fake_slot_host::calls() const {
    const std::lock_guard lock(guard_);
    return calls_;
}

std::vector<std::string> fake_slot_host::faults() const {
    const std::lock_guard lock(guard_);
    return faults_;
}

}  // namespace skiff_test
