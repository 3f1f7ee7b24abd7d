// The threads of a row at work: they start together, read or insert until they are stopped, and
// each counts for itself.
#pragma once

#include "drivers/driver.hpp"
#include "stats/histogram.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace skiff_bench {

/// What all threads did together.
struct work_done {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    double seconds = 0;
    histogram read_times;
    histogram write_times;
};

class load {
  public:
    /// Starts the row's threads, each with a session of its own; they wait for begin().
    load(driver& with, const throughput_row& row);
    ~load();
    load(const load&) = delete;
    load& operator=(const load&) = delete;

    /// Returns when every session is open and the work begins.
    void begin();
    [[nodiscard]] bool has_failed() const noexcept { return stop_; }
    /// Stops, and waits for the threads. Throws what one of them threw, and driver_error when a
    /// read was wrong.
    work_done finish();

  private:
    template <class Work>
    void start(Work work);
    void read_rows(int number);
    void write_rows();
    void join() noexcept;

    driver& with_;
    std::latch ready_;
    std::atomic<bool> stop_{false};
    std::chrono::steady_clock::time_point begun_;
    std::mutex guard_;  // of what follows
    work_done done_;
    std::uint64_t wrong_ = 0;
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;
};

}  // namespace skiff_bench
