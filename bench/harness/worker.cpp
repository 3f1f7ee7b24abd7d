// The file is made and counted by plain SQLite, whatever the driver.
#include "harness/worker.hpp"

#include "drivers/c_api.hpp"
#include "harness/load.hpp"
#include "harness/neighbour.hpp"
#include "harness/process.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace skiff_bench {

namespace {

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
void check_file(const profile& how, std::uint64_t inserted) {
    c_connection db(how, "unix", 0);
    const auto count = std::stoull(db.one("select count(*) from kv"));
    const auto expected = static_cast<std::uint64_t>(table_rows) + inserted;
    if (count != expected) {
        throw driver_error("the table has " + std::to_string(count) + " rows instead of " +
                           std::to_string(expected));
    }
    if (db.one("pragma quick_check") != "ok") throw driver_error("the file is damaged");
}

class metric_list {
  public:
    void add_rate(const std::string& name, std::uint64_t count, double seconds) {
        list_.push_back({{"metric", name},
                         {"unit", "1/s"},
                         {"better", "higher"},
                         {"value", static_cast<double>(count) / seconds}});
    }
    void add_times(const std::string& what, const histogram& times) {
        const auto add = [&](const char* name, std::uint64_t value) {
            list_.push_back({{"metric", what + " " + name},
                             {"unit", "us"},
                             {"better", "lower"},
                             {"value", static_cast<double>(value) / 1000}});
        };
        add("p50", times.quantile(0.5));
        add("p95", times.quantile(0.95));
        add("p99", times.quantile(0.99));
        add("p99.9", times.quantile(0.999));
        add("max", times.max());
    }
    [[nodiscard]] nlohmann::json take() { return std::move(list_); }

  private:
    nlohmann::json list_ = nlohmann::json::array();
};

nlohmann::json metrics_of(const throughput_row& row,
                          const work_done& ours,
                          const neighbour_done& theirs) {
    metric_list metrics;
    const bool both = row.beside == neighbour::busy;
    if (row.readers > 0) {
        metrics.add_rate("reads", ours.reads, ours.seconds);
        if (both) metrics.add_rate("their reads", theirs.reads, theirs.seconds);
        metrics.add_times("read", ours.read_times);
    }
    if (row.writers > 0) {
        metrics.add_rate("writes", ours.writes, ours.seconds);
        if (both) metrics.add_rate("their writes", theirs.writes, theirs.seconds);
        metrics.add_times("write", ours.write_times);
    }
    return metrics.take();
}

void wait_for_end(const load& running, double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!running.has_failed() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
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
    neighbour_process other(row, how.path);

    load work(*with, row);
    work.begin();
    wait_for_end(work, order.seconds);
    const auto ours = work.finish();
    const auto theirs = other.finish();
    check_file(how, (order.driver->stores_rows ? ours.writes : 0) + theirs.writes);
    return {{"metrics", metrics_of(row, ours, theirs)}, {"settings", settings}};
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
