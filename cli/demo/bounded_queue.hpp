// A queue between one thread that makes batches and several that store them. It holds at most
// `capacity` items: the maker waits when the storing threads fall behind.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace skiff_cli {

/// Thread-safe.
template <class T>
class bounded_queue {
  public:
    explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {}

    /// Waits for room. False when the queue was closed: the item is dropped.
    bool push(T item) {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
        if (closed_) return false;
        items_.push_back(std::move(item));
        content_.notify_one();
        return true;
    }

    /// Waits for an item; nothing when the queue is closed and empty.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        content_.wait(lock, [&] { return closed_ || !items_.empty(); });
        if (items_.empty()) return std::nullopt;
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        room_.notify_one();
        return item;
    }

    /// No more items will come; those in the queue are still handed out.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        content_.notify_all();
        room_.notify_all();
    }

    /// Throws away what is in the queue and closes it.
    void abandon() {
        const std::lock_guard lock(mutex_);
        items_.clear();
        closed_ = true;
        content_.notify_all();
        room_.notify_all();
    }

  private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable content_;
    std::condition_variable room_;
    std::deque<T> items_;  // guarded by mutex_
    bool closed_ = false;  // guarded by mutex_
};

}  // namespace skiff_cli
