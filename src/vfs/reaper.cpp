// The thread starts with the first table and lives as long as the process: joining it at exit would
// order it against destructors of databases that programs keep in static storage.
#include "vfs/reaper.hpp"

#include "base/mutex.hpp"
#include "vfs/process.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace skiff::vfs::reaper {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds period{1};

struct watched {
    slot_table* table;
    bool asked_again = false;  ///< while it was being ticked
};

struct timer {
    mutex guard;
    condition changed;
    std::vector<watched> tables SKIFF_GUARDED_BY(guard);
    slot_table* ticking SKIFF_GUARDED_BY(guard) = nullptr;
    bool started SKIFF_GUARDED_BY(guard) = false;
    std::thread thread;  ///< never joined: the timer is never destroyed

    void tick_all() SKIFF_EXCLUDES(guard) {
        for (std::size_t at = 0;; ++at) {
            slot_table* table = nullptr;
            {
                const mutex_lock lock(guard);
                if (at >= tables.size()) return;
                table = tables[at].table;
                tables[at].asked_again = false;
                ticking = table;
            }
            const bool goes_on = table->tick();
            const mutex_lock lock(guard);
            ticking = nullptr;
            if (!goes_on) {
                std::erase_if(tables, [table](const watched& each) {
                    return each.table == table && !each.asked_again;
                });
            }
            changed.notify_all();
        }
    }

    [[noreturn]] void run() {
        for (auto next = clock::now();;) {
            {
                const mutex_lock lock(guard);
                while (tables.empty()) {
                    changed.wait(guard);
                    next = clock::now();
                }
            }
            next = std::max(next + period, clock::now());
            std::this_thread::sleep_until(next);
            tick_all();
        }
    }
};

timer& the_timer() {
    return process::the_only<timer>();
}

}  // namespace

bool watch(slot_table& table) noexcept {
    auto& timer = the_timer();
    const mutex_lock lock(timer.guard);
    const auto found = std::ranges::find(timer.tables, &table, &watched::table);
    try {
        if (!timer.started) {
            timer.thread = std::thread([&timer] { timer.run(); });
            timer.started = true;
        }
        if (found == timer.tables.end()) {
            timer.tables.push_back({&table});
        } else {
            found->asked_again = true;
        }
    } catch (...) {
        return false;
    }
    timer.changed.notify_all();
    return true;
}

void forget(slot_table& table) noexcept {
    auto& timer = the_timer();
    const mutex_lock lock(timer.guard);
    while (timer.ticking == &table) timer.changed.wait(timer.guard);
    std::erase_if(timer.tables, [&](const watched& each) { return each.table == &table; });
}

}  // namespace skiff::vfs::reaper
