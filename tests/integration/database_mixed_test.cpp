// Eight writers and eight readers on one database, beside programs with plain SQLite that read and
// write the same file: sums stay constant in every read, nobody hears "busy" for what our own
// threads do, and every acknowledged write is there.
#include "support/child_process.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::transaction;
using clock = std::chrono::steady_clock;

constexpr int accounts = 40;
constexpr int writers = 8;
constexpr int readers = 8;
constexpr std::int64_t total = accounts * 1000;
constexpr auto run_time = 1500ms;

void make_bank(database& db) {
    db.write([](transaction& tx) {
        tx.exec(
            "create table account(id integer primary key, amount integer not null "
            "check (amount >= 0))");
        tx.exec("create table counter(who integer primary key, n integer not null)");
        for (int id = 0; id < accounts; ++id) tx.exec("insert into account values (?, 1000)", id);
        for (int who = 0; who < writers; ++who) tx.exec("insert into counter values (?, 0)", who);
    });
}

/// Moves money between two accounts; now and then too much, which the schema refuses, or changes
/// its mind half-way.
void transfer(transaction& tx, random_numbers& random, int who) {
    const int from = random.below(accounts);
    const int to = random.below(accounts);
    const int amount = random.below(400);
    tx.exec("update account set amount = amount - ? where id = ?", amount, from);
    if (random.once_in(10)) throw std::runtime_error("changed my mind");
    tx.exec("update account set amount = amount + ? where id = ?", amount, to);
    tx.exec("update counter set n = n + 1 where who = ?", who);
}

/// What the threads of a run found.
struct findings {
    std::atomic<int> transfers{0};
    std::atomic<int> reads{0};
    std::array<std::atomic<int>, writers> acknowledged{};
};

void write_until(
    database& db, clock::time_point end, int who, std::uint64_t seed, findings& found) {
    random_numbers random(seed);
    while (clock::now() < end) {
        const auto ended =
            ending_of([&] { db.write([&](transaction& tx) { transfer(tx, random, who); }); });
        const bool expected =
            ended.ok || ended.name() == "changed my mind" || ended.name() == "SQLITE_CONSTRAINT";
        EXPECT_TRUE(expected) << ended;
        if (ended.ok) ++found.acknowledged[static_cast<std::size_t>(who)];
        ++found.transfers;
    }
}

void read_until(database& db, clock::time_point end, int who, findings& found) {
    while (clock::now() < end) {
        const auto ended = ending_of([&] {
            if (who % 2 == 0) {
                EXPECT_EQ(db.one<std::int64_t>("select sum(amount) from account"), total);
                return;
            }
            auto snap = db.read();
            const auto first = snap.one<std::int64_t>("select sum(amount * id) from account");
            std::int64_t sum = 0;
            std::int64_t again = 0;
            for (const auto [id, amount] :
                 snap.rows<int, std::int64_t>("select id, amount from account")) {
                sum += amount;
                again += amount * id;
            }
            EXPECT_EQ(sum, total);
            EXPECT_EQ(again, first);
        });
        EXPECT_TRUE(ended.ok) << ended;
        ++found.reads;
    }
}

/// Runs all threads on `db` for the time of the test.
void run_threads(database& db, findings& found) {
    const auto seed = test_seed();
    const auto end = clock::now() + run_time;
    std::vector<std::thread> threads;
    for (int who = 0; who < writers; ++who) {
        threads.emplace_back(
            [&, who] { write_until(db, end, who, seed + static_cast<std::uint64_t>(who), found); });
    }
    for (int who = 0; who < readers; ++who) {
        threads.emplace_back([&, who] { read_until(db, end, who, found); });
    }
    for (auto& each : threads) each.join();
}

void expect_all_counted(database& db, const findings& found) {
    for (int who = 0; who < writers; ++who) {
        EXPECT_EQ(db.one<int>("select n from counter where who = ?", who),
                  found.acknowledged[static_cast<std::size_t>(who)].load());
    }
}

TEST(DatabaseMixed, writers_and_readers_keep_the_sum_and_lose_nothing) {
    const temp_dir folder;
    auto db = database::open(folder / "bank.db");
    make_bank(db);
    findings found;

    run_threads(db, found);

    EXPECT_EQ(db.one<std::int64_t>("select sum(amount) from account"), total);
    expect_all_counted(db, found);
    EXPECT_GT(found.transfers.load(), writers);
    EXPECT_GT(found.reads.load(), readers);
    EXPECT_EQ(db.stats().batches_aborted, 0U);
    db.close();
    EXPECT_EQ(integrity_of(folder / "bank.db"), "ok");
}

TEST(DatabaseMixed, fewer_readers_than_threads_serve_all) {
    const temp_dir folder;
    auto db = database::open(folder / "bank.db", {.readers = 1});
    make_bank(db);
    findings found;

    run_threads(db, found);

    expect_all_counted(db, found);
    EXPECT_GT(found.reads.load(), readers);
    EXPECT_EQ(db.stats().readers_open, 1);
}

/// A program with plain SQLite that moves money until told to stop; answers how often.
std::string stock_writer(const std::filesystem::path& path, child_channel& parent) {
    if (!parent.wait()) return "no start";
    raw_database stock(path);
    sqlite3_busy_timeout(stock.handle(), 30'000);
    const auto end = clock::now() + run_time;
    int count = 0;
    while (clock::now() < end) {
        stock.exec("begin immediate");
        stock.exec("update account set amount = amount + 1 where id = 0");
        stock.exec(
            "update account set amount = amount - 1 where id = "
            "(select id from account where amount > 1 order by amount desc limit 1)");
        stock.exec("commit");
        ++count;
        if (count % 50 == 0) stock.exec("pragma wal_checkpoint(passive)");
    }
    return count > 0 ? "ok" : "nothing done";
}

std::string stock_reader(const std::filesystem::path& path, child_channel& parent) {
    if (!parent.wait()) return "no start";
    raw_database stock(path);
    sqlite3_busy_timeout(stock.handle(), 30'000);
    const auto end = clock::now() + run_time;
    while (clock::now() < end) {
        const auto sum = stock.number("select sum(amount) from account");
        if (sum != total) return "sum is " + std::to_string(sum);
    }
    return "ok";
}

TEST(DatabaseMixed, programs_with_plain_sqlite_read_and_write_beside_us) {
    const temp_dir folder;
    const auto path = folder / "bank.db";
    {
        auto first = database::open(path);
        make_bank(first);
    }
    std::vector<child_process> programs;
    programs.emplace_back([&](child_channel& parent) { return stock_writer(path, parent); });
    programs.emplace_back([&](child_channel& parent) { return stock_writer(path, parent); });
    programs.emplace_back([&](child_channel& parent) { return stock_reader(path, parent); });
    auto db = database::open(path, {.busy_timeout = 30s});
    findings found;

    for (auto& each : programs) each.signal();
    run_threads(db, found);
    for (auto& each : programs) EXPECT_EQ(each.join().answer, "ok");

    EXPECT_EQ(db.one<std::int64_t>("select sum(amount) from account"), total);
    expect_all_counted(db, found);
    db.close();
    EXPECT_EQ(integrity_of(path), "ok");
}

}  // namespace
