// std::mutex and std::condition_variable with clang's thread-safety annotations, so that the
// compiler proves which data is touched under which lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SKIFF_ANNOTATE(x) __attribute__((x))
#else
#define SKIFF_ANNOTATE(x)
#endif
#define SKIFF_GUARDED_BY(lock) SKIFF_ANNOTATE(guarded_by(lock))
#define SKIFF_REQUIRES(lock) SKIFF_ANNOTATE(requires_capability(lock))
#define SKIFF_EXCLUDES(lock) SKIFF_ANNOTATE(locks_excluded(lock))

namespace skiff {

/// A mutex. Thread-safe.
class SKIFF_ANNOTATE(capability("mutex")) mutex {
  public:
    void lock() SKIFF_ANNOTATE(acquire_capability()) { held_.lock(); }
    void unlock() SKIFF_ANNOTATE(release_capability()) { held_.unlock(); }

  private:
    friend class condition;
    std::mutex held_;
};

/// Holds a mutex for a scope.
class SKIFF_ANNOTATE(scoped_lockable) mutex_lock {
  public:
    explicit mutex_lock(mutex& held) SKIFF_ANNOTATE(acquire_capability(held)) : held_(held) {
        held_.lock();
    }
    ~mutex_lock() SKIFF_ANNOTATE(release_capability()) { held_.unlock(); }
    mutex_lock(const mutex_lock&) = delete;
    mutex_lock& operator=(const mutex_lock&) = delete;

  private:
    mutex& held_;
};

/// A condition variable. Thread-safe. Spurious wake-ups happen: wait in a loop.
class condition {
  public:
    void notify_one() noexcept { signal_.notify_one(); }
    void notify_all() noexcept { signal_.notify_all(); }

    void wait(mutex& held) SKIFF_REQUIRES(held) {
        std::unique_lock<std::mutex> lock(held.held_, std::adopt_lock);
        signal_.wait(lock);
        lock.release();
    }
    /// False when the time was reached.
    bool wait_until(mutex& held, std::chrono::steady_clock::time_point until) SKIFF_REQUIRES(held) {
        std::unique_lock<std::mutex> lock(held.held_, std::adopt_lock);
        const bool signalled = signal_.wait_until(lock, until) == std::cv_status::no_timeout;
        lock.release();
        return signalled;
    }

  private:
    std::condition_variable signal_;
};

}  // namespace skiff
