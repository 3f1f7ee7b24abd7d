// The kernel's locks on the eight bytes, as a fake that plays another process too. Stricter than
// the kernel: it is told what is in use here, and notes every moment at which a byte that is in use
// is locked weaker than it is used.
#pragma once

#include "vfs/slot_table.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace skiff_test {

using skiff::vfs::os::lock_kind;

/// Thread-safe.
class fake_slot_host : public skiff::vfs::slot_host {
  public:
    static constexpr std::size_t slots = skiff::vfs::slot_count;
    struct call {
        lock_kind kind;
        int first;
        int count;
    };

    int lock_slots(lock_kind kind, int first, int count) noexcept override;
    bool others_attached() noexcept override { return others.load(); }
    bool is_deleted() noexcept override { return deleted.load(); }
    bool start_ticking() noexcept override {
        if (timer_works) ticks_wanted = true;
        return timer_works;
    }

    /// What the other process does: false when we are in its way.
    bool take_elsewhere(lock_kind kind, int first, int count);
    void release_elsewhere(int first, int count);

    /// The test's connections use a byte from the moment a lock was granted to the moment before it
    /// is given back. Several may share it.
    void begin_use(lock_kind kind, int first, int count);
    void end_use(lock_kind kind, int first, int count);

    /// 'w' exclusive, 'r' shared, '-' none, one for each byte.
    [[nodiscard]] std::string kernel_state() const;
    /// The same for what is in use.
    [[nodiscard]] std::string use_state() const;
    [[nodiscard]] std::vector<call> calls() const;
    /// Everything that was wrong at any time.
    [[nodiscard]] std::vector<std::string> faults() const;

    std::atomic<bool> others{false};        ///< another process is attached
    std::atomic<bool> deleted{false};       ///< the index
    std::atomic<bool> timer_works{true};    ///< start_ticking() can be had
    std::atomic<bool> ticks_wanted{false};  ///< it was asked for
    std::atomic<int> error{0};              ///< errno of every call, 0 for none
    std::atomic<int> unlock_error{0};       ///< errno of calls that unlock

  private:
    struct use {
        int shared = 0;
        int exclusive = 0;
    };
    [[nodiscard]] lock_kind used(std::size_t at) const;
    void check(const char* when);

    mutable std::mutex guard_;
    std::array<lock_kind, slots> here_{};
    std::array<lock_kind, slots> elsewhere_{};
    std::array<use, slots> uses_{};
    std::vector<call> calls_;
    std::vector<std::string> faults_;
};

}  // namespace skiff_test
