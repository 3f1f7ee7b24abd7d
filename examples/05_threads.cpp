// One database object, many threads; docs/guides/threads.md shows the parts.
#include "expect.hpp"

#include <skiff/skiff.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <latch>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr std::string_view endless_sql =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

void many_threads(skiff::database& db) {
    constexpr int threads = 8;
    constexpr int rows_each = 50;
    // [share]
    {
        std::vector<std::jthread> workers;
        for (int worker = 0; worker < threads; ++worker) {
            workers.emplace_back([&db, worker] {
                for (int n = 0; n < rows_each; ++n) {
                    db.exec("insert into event(worker, n) values (?, ?)", worker, n);
                }
            });
        }
    }  // the threads are joined here
    const auto stats = db.stats();
    std::cout << stats.writes << " rows in " << stats.commits << " commits, at most "
              << stats.batch_writes_max << " in one\n";
    // [/share]
    expect(db.one<int>("select count(*) from event") == threads * rows_each);
    expect(stats.commits <= stats.writes);
}

void snapshots(skiff::database& db) {
    // [snapshot]
    auto snapshot = db.read();
    const auto before = snapshot.one<int>("select count(*) from event");
    db.exec("insert into event(worker, n) values (?, ?)", 100, 0);  // another thread may do this
    const auto after = snapshot.one<int>("select count(*) from event");
    // before == after: the snapshot keeps the state of its first read
    // [/snapshot]
    expect(before == after);
    expect(db.one<int>("select count(*) from event") == before + 1);
}

void own_writes(skiff::database& db) {
    // [token]
    const auto done = db.exec("insert into event(worker, n) values (?, ?)", 101, 0);
    // `done.commit` may travel: to another thread, a queue, a user's session in this process.
    auto fresh = db.read({.at_least = done.commit});
    const auto seen = fresh.one<int>("select count(*) from event where worker = ?", 101);
    // [/token]
    expect(seen == 1);
}

void deadlines(skiff::database& db) {
    int cut = 0;
    // [deadline]
    try {
        auto quick = db.read({.deadline = 50ms});
        std::cout << quick.one<std::int64_t>(endless_sql) << '\n';
    } catch (const skiff::interrupted&) {
        std::cout << "stopped while it ran\n";
        ++cut;
    } catch (const skiff::timeout&) {
        std::cout << "no reader connection was free in time\n";
    }
    // [/deadline]
    expect(cut == 1);

    // [write-deadline]
    const auto commit =
        db.write([](skiff::transaction& tx) { tx.exec("delete from event where worker = ?", 101); },
                 {.deadline = 2s});
    // [/write-deadline]
    expect(commit == db.last_commit());
}

void waiting_in_line(skiff::database& db) {
    std::latch leads(1);
    std::latch may_end(1);
    std::jthread slow([&] {
        db.write([&](skiff::transaction& tx) {
            tx.exec("insert into event(worker, n) values (102, 0)");
            leads.count_down();
            may_end.wait();
        });
    });
    leads.wait();
    bool timed_out = false;
    try {
        db.write([](skiff::transaction&) {}, {.deadline = 20ms});
    } catch (const skiff::timeout&) {
        timed_out = true;  // the writer was busy all the time; nothing was done
    }
    may_end.count_down();
    expect(timed_out);
}

void stop_tokens(skiff::database& db) {
    bool stopped = false;
    std::latch started(1);
    // [stop]
    std::jthread report([&](const std::stop_token& stop) {
        try {
            auto snapshot = db.read({.stop = stop});
            started.count_down();
            std::cout << snapshot.one<std::int64_t>(endless_sql) << '\n';
        } catch (const skiff::interrupted&) {
            stopped = true;
        }
    });
    started.wait();
    report.request_stop();  // ends this query and nobody else's
    report.join();
    // [/stop]
    expect(stopped);
}

void write_inside_write(skiff::database& db) {
    bool noticed = false;
    // [nested]
    db.write([&](skiff::transaction& tx) {
        tx.exec("insert into event(worker, n) values (103, 0)");
        try {
            db.exec("insert into event(worker, n) values (103, 1)");  // would wait for itself
        } catch (const skiff::error& failure) {
            noticed = failure.code() == skiff::errc::misuse;
        }
    });
    // [/nested]
    expect(noticed);
    expect(db.one<int>("select count(*) from event where worker = 103") == 1);
}

void normal_durability() {
    // [durable]
    auto db = skiff::database::open("cache.db", {.durability = skiff::durability::normal});
    db.exec("create table entry(key text primary key, content blob) strict");
    const auto done = db.exec("insert into entry values (?, ?)", "a", skiff::zero_blob{16});
    db.wait_durable(done.commit);  // this one, and all before it, are on the disk now
    // [/durable]
    expect(db.one<int>("select length(content) from entry") == 16);
}

}  // namespace

int main() {
    // [open]
    auto db = skiff::database::open("events.db", {.readers = 4});
    // [/open]
    db.exec("create table event(id integer primary key, worker integer, n integer) strict");
    many_threads(db);
    snapshots(db);
    own_writes(db);
    deadlines(db);
    waiting_in_line(db);
    stop_tokens(db);
    write_inside_write(db);
    db.close();
    normal_durability();
}
