// A session that cannot be opened must not leave the others waiting: its thread arrives all the
// same.
#include "harness/load.hpp"

#include <memory>
#include <string>

namespace skiff_bench {

namespace {

using clock = std::chrono::steady_clock;

/// One operation in so many is timed where timing each would cost too much.
constexpr int reads_between_looks = 16;

std::uint64_t nanoseconds_since(clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count());
}

/// Arrives once, also when what comes before throws.
class arrival {
  public:
    explicit arrival(std::latch& at) : at_(at) {}
    ~arrival() {
        if (!done_) at_.count_down();
    }
    arrival(const arrival&) = delete;
    arrival& operator=(const arrival&) = delete;
    void arrive_and_wait() {
        done_ = true;
        at_.arrive_and_wait();
    }

  private:
    std::latch& at_;
    bool done_ = false;
};

}  // namespace

load::load(driver& with, const throughput_row& row)
    : with_(with), ready_(row.readers + row.writers + 1) {
    for (int i = 0; i < row.readers; ++i) start([this, i] { read_rows(i); });
    for (int i = 0; i < row.writers; ++i) start([this] { write_rows(); });
}

load::~load() {
    join();
}

template <class Work>
void load::start(Work work) {
    threads_.emplace_back([this, work] {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(guard_);
            if (!failure_) failure_ = std::current_exception();
            stop_ = true;
        }
    });
}

void load::read_rows(int number) {
    arrival here(ready_);
    const auto mine = with_.open_session();
    histogram times;
    std::uint64_t done = 0;
    std::uint64_t wrong = 0;
    std::uint64_t state = static_cast<std::uint64_t>(number) * 7919 + 1;
    here.arrive_and_wait();
    while (!stop_.load(std::memory_order_relaxed)) {
        state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
        const auto key = static_cast<std::int64_t>((state >> 33U) % table_rows) + 1;
        const bool timed = done % reads_between_looks == 0;
        const auto start = timed ? clock::now() : clock::time_point{};
        wrong += mine->read(key) ? 0 : 1;
        if (timed) times.add(nanoseconds_since(start));
        ++done;
    }
    const std::lock_guard lock(guard_);
    wrong_ += wrong;
    done_.reads += done;
    done_.read_times.add(times);
}

void load::write_rows() {
    arrival here(ready_);
    const auto mine = with_.open_session();
    const auto value = value_of(0);
    histogram times;
    here.arrive_and_wait();
    while (!stop_.load(std::memory_order_relaxed)) {
        const auto start = clock::now();
        mine->insert(value);
        times.add(nanoseconds_since(start));
    }
    const std::lock_guard lock(guard_);
    done_.writes += times.total();
    done_.write_times.add(times);
}

void load::begin() {
    ready_.arrive_and_wait();
    begun_ = clock::now();
}

void load::join() noexcept {
    stop_ = true;
    if (threads_.empty()) return;
    if (begun_ == clock::time_point{}) ready_.count_down();
    for (auto& each : threads_) each.join();
    threads_.clear();
}

work_done load::finish() {
    join();
    done_.seconds = std::chrono::duration<double>(clock::now() - begun_).count();
    if (failure_) std::rethrow_exception(failure_);
    if (wrong_ > 0) throw driver_error(std::to_string(wrong_) + " reads were wrong");
    return std::move(done_);
}

}  // namespace skiff_bench
