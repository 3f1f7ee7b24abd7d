// Sees every change that the VFS makes to a file, before and after, and may fail it: for tests that
// record what reached the disk in which order, or let a disk fail. Costs one load where none is
// set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skiff::vfs {

struct io_event {
    enum class kind { write, truncate, sync, sync_directory };

    kind what;
    int fd = -1;
    const char* path = nullptr;  ///< of a directory's sync: the file whose entry it keeps
    const void* content = nullptr;
    std::size_t bytes = 0;
    std::int64_t offset = 0;  ///< or the new size
};

/// Called by any thread that does I/O.
class io_interceptor {
  public:
    virtual ~io_interceptor() = default;
    /// An errno to fail with instead of doing it, or 0.
    virtual int before(const io_event& event) noexcept = 0;
    virtual void after(const io_event& event, int error) noexcept = 0;

    /// Null for none. Whoever sets it keeps it alive until no I/O runs any more.
    static void install(io_interceptor* wanted) noexcept {
        installed_.store(wanted, std::memory_order_release);
    }
    /// Does `call` (an errno, or 0) under the interceptor's eyes.
    template <class Call>
    static int watch(const io_event& event, Call&& call) noexcept {
        auto* watching = installed_.load(std::memory_order_acquire);
        if (watching == nullptr) [[likely]]
            return call();
        int error = watching->before(event);
        if (error == 0) error = call();
        watching->after(event, error);
        return error;
    }

  private:
    static inline std::atomic<io_interceptor*> installed_{nullptr};
};

}  // namespace skiff::vfs
