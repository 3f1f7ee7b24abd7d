// The threads start together, and the first error of any of them is the error of all.
#include "demo/writer_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <latch>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace skiff_cli {

namespace {

/// About 100 bytes, as a line of a log is.
constexpr std::string_view text =
    "GET /pool/main/s/sqlite3/libsqlite3-0_3.40.1-2_amd64.deb 200 837412 bytes in 13 ms, cache "
    "hit, ok";

/// Runs `work(writer)` on each of `threads` threads at once, waits, and throws the first failure.
void on_threads(unsigned threads, const std::function<void(unsigned)>& work) {
    std::latch all_there(threads);
    std::mutex mutex;
    std::exception_ptr failure;
    {
        std::vector<std::jthread> running;
        running.reserve(threads);
        for (unsigned writer = 0; writer < threads; ++writer) {
            running.emplace_back([&, writer] {
                all_there.arrive_and_wait();
                try {
                    work(writer);
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    if (!failure) failure = std::current_exception();
                }
            });
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

writers_result write_for(contender& target,
                         unsigned threads,
                         std::chrono::duration<double> span,
                         std::stop_token stop) {
    using clock = std::chrono::steady_clock;
    const auto length = std::chrono::duration_cast<clock::duration>(span);
    std::atomic<std::int64_t> in_time = 0;
    std::atomic<std::int64_t> all = 0;
    on_threads(threads, [&](unsigned writer) {
        const auto end = clock::now() + length;
        std::int64_t own = 0;
        auto now = clock::now();
        while (now < end && !stop.stop_requested()) {
            const bool inserted = target.insert(writer, {writer, own, text}, end);
            now = clock::now();
            if (!inserted) continue;
            ++own;
            // A row that was under way when the time was up counts as written, not as speed.
            if (now <= end) in_time.fetch_add(1, std::memory_order_relaxed);
        }
        all.fetch_add(own, std::memory_order_relaxed);
    });
    return {in_time.load(), all.load()};
}

void write_rows(contender& target, unsigned threads, unsigned rows_each) {
    on_threads(threads, [&](unsigned writer) {
        for (unsigned i = 0; i < rows_each; ++i) {
            target.insert(writer, {writer, writer * 1000 + i, text.substr(0, 10 + i)},
                          moment::max());
        }
    });
}

}  // namespace skiff_cli
