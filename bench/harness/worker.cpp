// Threads start together, and stop when the time is over; each counts for itself.
#include "harness/worker.hpp"

#include "drivers/c_api.hpp"
#include "harness/process.hpp"
#include "stats/histogram.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>

namespace skiff_bench {

namespace {

using clock = std::chrono::steady_clock;

/// One operation in so many is timed where timing each would cost too much.
constexpr int reads_between_looks = 16;

/// What the threads of a run share.
struct run_state {
    explicit run_state(int threads) : ready(threads + 1) {}

    std::latch ready;
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> wrong{0};
    std::mutex guard;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    histogram read_times;
    histogram write_times;
    std::exception_ptr failure;
};

std::uint64_t nanoseconds_since(clock::time_point start) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count());
}

void read_rows(driver& with, int number, run_state& run) {
    const auto mine = with.open_session();
    histogram times;
    std::uint64_t done = 0;
    std::uint64_t wrong = 0;
    std::uint64_t state = static_cast<std::uint64_t>(number) * 7919 + 1;
    run.ready.arrive_and_wait();
    while (!run.stop.load(std::memory_order_relaxed)) {
        state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
        const auto key = static_cast<std::int64_t>((state >> 33U) % table_rows) + 1;
        const bool timed = done % reads_between_looks == 0;
        const auto start = timed ? clock::now() : clock::time_point{};
        wrong += mine->read(key) ? 0 : 1;
        if (timed) times.add(nanoseconds_since(start));
        ++done;
    }
    run.wrong += wrong;
    const std::lock_guard lock(run.guard);
    run.reads += done;
    run.read_times.add(times);
}

void write_rows(driver& with, run_state& run) {
    const auto mine = with.open_session();
    const auto value = value_of(0);
    histogram times;
    run.ready.arrive_and_wait();
    while (!run.stop.load(std::memory_order_relaxed)) {
        const auto start = clock::now();
        mine->insert(value);
        times.add(nanoseconds_since(start));
    }
    const std::lock_guard lock(run.guard);
    run.writes += times.total();
    run.write_times.add(times);
}

template <class Work>
std::thread start(run_state& run, Work work) {
    return std::thread([&run, work] {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(run.guard);
            if (!run.failure) run.failure = std::current_exception();
            run.stop = true;
        }
    });
}

void make_table(const profile& how) {
    c_connection db(how, "unix", 0);
    db.run("create table kv(id integer primary key, v text); begin");
    auto* insert = db.prepare("insert into kv values (?, ?)");
    for (std::int64_t key = 1; key <= table_rows; ++key) {
        const auto value = value_of(key);
        sqlite3_bind_int64(insert, 1, key);
        sqlite3_bind_text(insert, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
        sqlite3_step(insert);
        if (sqlite3_reset(insert) != SQLITE_OK) db.fail("insert");
    }
    sqlite3_finalize(insert);
    db.run("commit; pragma wal_checkpoint(truncate)");
}

void check_settings(const work_order& order,
                    const profile& how,
                    const std::map<std::string, std::string>& found) {
    const auto expected = c_connection(how, "unix", 0).settings();
    for (const auto& [name, value] : expected) {
        const auto& own = order.driver->own_settings;
        if (std::ranges::find(own, name) != own.end()) continue;
        const auto at = found.find(name);
        if (at == found.end() || at->second != value) {
            throw driver_error("settings differ: " + name + " is " +
                               (at == found.end() ? "not told" : at->second) + " instead of " +
                               value);
        }
    }
}

/// All rows that were acknowledged are there, and the file is sound.
void check_file(const work_order& order, const profile& how, std::uint64_t inserted) {
    c_connection db(how, "unix", 0);
    const auto count = std::stoull(db.one("select count(*) from kv"));
    const auto expected =
        static_cast<std::uint64_t>(table_rows) + (order.driver->stores_rows ? inserted : 0);
    if (count != expected) {
        throw driver_error("the table has " + std::to_string(count) + " rows instead of " +
                           std::to_string(expected));
    }
    if (db.one("pragma quick_check") != "ok") throw driver_error("the file is damaged");
}

void put_times(nlohmann::json& metrics, const std::string& what, const histogram& times) {
    const auto put = [&](const char* name, std::uint64_t value) {
        metrics.push_back({{"metric", what + " " + name},
                           {"unit", "us"},
                           {"better", "lower"},
                           {"value", static_cast<double>(value) / 1000}});
    };
    put("p50", times.quantile(0.5));
    put("p95", times.quantile(0.95));
    put("p99", times.quantile(0.99));
    put("p99.9", times.quantile(0.999));
    put("max", times.max());
}

nlohmann::json metrics_of(const run_state& run, const throughput_row& row, double seconds) {
    auto metrics = nlohmann::json::array();
    const auto put_rate = [&](const char* name, std::uint64_t count) {
        metrics.push_back({{"metric", name},
                           {"unit", "1/s"},
                           {"better", "higher"},
                           {"value", static_cast<double>(count) / seconds}});
    };
    if (row.readers > 0) {
        put_rate("reads", run.reads);
        put_times(metrics, "read", run.read_times);
    }
    if (row.writers > 0) {
        put_rate("writes", run.writes);
        put_times(metrics, "write", run.write_times);
    }
    return metrics;
}

}  // namespace

nlohmann::json run_worker(const work_order& order) {
    const auto& row = *order.row;
    if (row.readers + row.writers == 1) pin_to_one_core();
    const profile how{order.folder / "bench.db", row.level, row.pages};
    make_table(how);
    const auto with = order.driver->open(how);
    const auto settings = with->settings();
    check_settings(order, how, settings);
    std::optional<child> other;
    if (row.beside_another) other.emplace(start_holder(how.path));

    run_state run(row.readers + row.writers);
    std::vector<std::thread> threads;
    for (int i = 0; i < row.readers; ++i) {
        threads.push_back(start(run, [&, i] { read_rows(*with, i, run); }));
    }
    for (int i = 0; i < row.writers; ++i) {
        threads.push_back(start(run, [&] { write_rows(*with, run); }));
    }
    run.ready.arrive_and_wait();
    const auto started = clock::now();
    const std::chrono::duration<double> time(order.seconds);
    while (!run.stop && clock::now() - started < time) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    run.stop = true;
    for (auto& each : threads) each.join();
    const std::chrono::duration<double> took = clock::now() - started;
    other.reset();
    if (run.failure) std::rethrow_exception(run.failure);
    if (run.wrong > 0) throw driver_error(std::to_string(run.wrong) + " reads were wrong");
    check_file(order, how, run.writes);
    return {{"metrics", metrics_of(run, row, took.count())}, {"settings", settings}};
}

bool repeat_operation(const std::string& operation,
                      const driver_entry& driver,
                      const std::filesystem::path& folder,
                      int times) {
    const bool reads = operation == "read";
    const bool full = operation == "insert-full";
    if (!reads && !full && operation != "insert-normal") return false;
    const profile how{folder / "bench.db", full ? synchronous::full : synchronous::normal,
                      cache::by_default};
    make_table(how);
    const auto with = driver.open(how);
    const auto mine = with->open_session();
    const auto value = value_of(0);
    for (int time = 0; time < times; ++time) {
        if (!reads) {
            mine->insert(value);
        } else if (!mine->read(time * std::int64_t{7919} % table_rows + 1)) {
            throw driver_error("a read was wrong");
        }
    }
    return true;
}

}  // namespace skiff_bench
