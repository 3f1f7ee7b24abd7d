// Ctrl-C on a thread of its own, so that what it does need not be safe inside a signal handler.
#include "signals.hpp"

#include "cli.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>

#include <cstdio>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <unistd.h>

namespace skiff_cli {

/// The thread that receives SIGINT, and the scopes it tells. One in the program, never destroyed:
/// its thread runs to the end.
struct interrupt_watcher {
    std::mutex mutex;
    interrupt_scope* innermost = nullptr;  ///< guarded by mutex

    static interrupt_watcher& only() {
        static auto* watcher = new interrupt_watcher;  // NOLINT: lives as long as the program
        return *watcher;
    }

    static void note_delay() {
        if (!is_terminal(stream::errors)) return;
        std::fputs("\nstopping; Ctrl-C again ends the program at once\n", stderr);
    }

    [[noreturn]] void run(const sigset_t& signals) {
        // SQLite ignores an interrupt that comes between two statements, so it is repeated while
        // the interrupted work is still there.
        constexpr timespec again{.tv_sec = 0, .tv_nsec = 50'000'000};
        constexpr int rounds_before_note = 30;
        int rounds = 0;
        for (;;) {
            const int received = ::sigtimedwait(&signals, nullptr, &again);
            const std::lock_guard hold(mutex);
            if (received == SIGINT && (innermost == nullptr || innermost->requested())) {
                ::_exit(static_cast<int>(exit_code::interrupted));
            }
            if (innermost == nullptr) continue;
            if (received == SIGINT) {
                innermost->stop_.request_stop();
                rounds = 0;
            }
            if (innermost->requested() && ++rounds == rounds_before_note) note_delay();
            if (innermost->requested() && innermost->connection_ != nullptr) {
                innermost->connection_->interrupt();
            }
        }
    }
};

void watch_interrupts() {
    static sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([] { interrupt_watcher::only().run(signals); }).detach();
}

interrupt_scope::interrupt_scope(skiff::connection* connection) : connection_(connection) {
    auto& watcher = interrupt_watcher::only();
    const std::lock_guard hold(watcher.mutex);
    outer_ = watcher.innermost;
    watcher.innermost = this;
}

interrupt_scope::~interrupt_scope() {
    auto& watcher = interrupt_watcher::only();
    const std::lock_guard hold(watcher.mutex);
    watcher.innermost = outer_;
}

void interrupt_scope::check() const {
    if (requested()) throw interrupted_by_user("");
}

}  // namespace skiff_cli
