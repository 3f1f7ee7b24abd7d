// Threads that are held up at the worst moments: a VFS that dawdles now and then before and after
// locks, barriers, writes and syncs, so that interleavings happen which are rare otherwise. The sum
// of a bank stays constant, acknowledged writes are there, nobody hears "busy".
#include "support/delays.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::database;
using skiff::transaction;
using clock = std::chrono::steady_clock;

std::atomic<std::uint64_t> delay_state{1};

/// Holds this thread up for 0 to 2 ms, once in twenty calls.
void maybe_dawdle() {
    std::uint64_t bits = delay_state.fetch_add(0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits ^= bits >> 27;
    if (bits % 20 != 0) return;
    const auto until = clock::now() + std::chrono::microseconds((bits >> 32) % 2000);
    while (clock::now() < until) std::this_thread::yield();
}

struct slow_file {
    sqlite3_file base;  // first: SQLite sees only this
    sqlite3_file* real;
};

sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<slow_file*>(file)->real;
}

/// A method of the real file with delays around it.
template <auto Method, class... Args>
int slowly(sqlite3_file* file, Args... args) {
    maybe_dawdle();
    const int code = (real(file)->pMethods->*Method)(real(file), args...);
    maybe_dawdle();
    return code;
}

/// A method of the real file as it is.
template <auto Method, class... Args>
int plainly(sqlite3_file* file, Args... args) {
    return (real(file)->pMethods->*Method)(real(file), args...);
}

void slow_barrier(sqlite3_file* file) {
    maybe_dawdle();
    real(file)->pMethods->xShmBarrier(real(file));
    maybe_dawdle();
}

using io = sqlite3_io_methods;

constexpr io slow_methods = {
    .iVersion = 2,
    .xClose = plainly<&io::xClose>,
    .xRead = plainly<&io::xRead, void*, int, sqlite3_int64>,
    .xWrite = slowly<&io::xWrite, const void*, int, sqlite3_int64>,
    .xTruncate = slowly<&io::xTruncate, sqlite3_int64>,
    .xSync = slowly<&io::xSync, int>,
    .xFileSize = plainly<&io::xFileSize, sqlite3_int64*>,
    .xLock = slowly<&io::xLock, int>,
    .xUnlock = slowly<&io::xUnlock, int>,
    .xCheckReservedLock = plainly<&io::xCheckReservedLock, int*>,
    .xFileControl = plainly<&io::xFileControl, int, void*>,
    .xSectorSize = plainly<&io::xSectorSize>,
    .xDeviceCharacteristics = plainly<&io::xDeviceCharacteristics>,
    .xShmMap = slowly<&io::xShmMap, int, int, int, void volatile**>,
    .xShmLock = slowly<&io::xShmLock, int, int, int>,
    .xShmBarrier = slow_barrier,
    .xShmUnmap = plainly<&io::xShmUnmap, int>,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_slow(sqlite3_vfs* self, const char* name, sqlite3_file* file, int flags, int* out) {
    auto& default_vfs = *static_cast<sqlite3_vfs*>(self->pAppData);
    auto& opened = *reinterpret_cast<slow_file*>(file);
    file->pMethods = nullptr;
    opened.real = reinterpret_cast<sqlite3_file*>(&opened + 1);
    const int code = default_vfs.xOpen(&default_vfs, name, opened.real, flags, out);
    if (opened.real->pMethods != nullptr) file->pMethods = &slow_methods;
    return code;
}

/// The name of the dawdling VFS.
const char* slow_vfs() {
    static sqlite3_vfs made = [] {
        sqlite3_vfs copy = *sqlite3_vfs_find(nullptr);
        copy.szOsFile += static_cast<int>(sizeof(slow_file));
        copy.pNext = nullptr;
        copy.zName = "skiff_slow";
        copy.pAppData = sqlite3_vfs_find(nullptr);
        copy.xOpen = open_slow;
        return copy;
    }();
    static const int registered = sqlite3_vfs_register(&made, 0);
    static_cast<void>(registered);
    return made.zName;
}

constexpr int accounts = 10;

void move_money(database& db, random_numbers& random, std::atomic<int>& acknowledged) {
    const int from = random.below(accounts);
    const int to = random.below(accounts);
    const auto ended = ending_of([&] {
        db.write([&](transaction& tx) {
            tx.exec("update account set amount = amount - 1 where id = ?", from);
            tx.exec("update account set amount = amount + 1 where id = ?", to);
            tx.exec("update done set n = n + 1");
        });
    });
    EXPECT_TRUE(ended.ok) << ended;
    if (ended.ok) ++acknowledged;
}

void look_at_money(database& db) {
    const auto ended = ending_of([&] {
        auto snap = db.read();
        EXPECT_EQ(snap.one<int>("select sum(amount) from account"), 0);
        EXPECT_EQ(snap.one<int>("select count(*) from account"), accounts);
    });
    EXPECT_TRUE(ended.ok) << ended;
}

void checkpoint(database& db, const std::string& mode) {
    const auto ended = ending_of([&] {
        db.write_without_transaction(
            [&](skiff::connection& writer) { writer.exec("pragma wal_checkpoint(" + mode + ")"); });
    });
    EXPECT_TRUE(ended.ok) << ended;
}

TEST(DatabaseDelays, t11_held_up_threads_lose_nothing_and_wait_for_each_other) {
    random_numbers random(test_seed());
    delay_state = random.bits();
    const delays held_up(random.bits(), 2ms);
    const temp_dir folder;
    auto db =
        database::open(folder / "slow.db", {.busy_timeout = 60s, .vfs = slow_vfs(), .readers = 2});
    db.exec("create table account(id integer primary key, amount)");
    db.exec("create table done(n)");
    db.exec("insert into done values (0)");
    for (int id = 0; id < accounts; ++id) db.exec("insert into account values (?, 0)", id);
    std::atomic<int> acknowledged{0};
    const auto end = clock::now() + 2s;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, seed = random.bits()] {
            random_numbers mine(seed);
            while (clock::now() < end) move_money(db, mine, acknowledged);
        });
        threads.emplace_back([&] {
            while (clock::now() < end) look_at_money(db);
        });
    }
    threads.emplace_back([&] {
        constexpr const char* modes[] = {"passive", "full", "restart", "truncate"};
        for (int i = 0; clock::now() < end; ++i) checkpoint(db, modes[i % 4]);
    });

    for (auto& each : threads) each.join();

    using enum skiff::delay_point;
    EXPECT_EQ(delays::not_passed(batch_ends, reader_freed), 0);
    EXPECT_EQ(db.one<int>("select n from done"), acknowledged.load());
    EXPECT_EQ(db.one<int>("select sum(amount) from account"), 0);
    db.close();
    EXPECT_EQ(integrity_of(folder / "slow.db"), "ok");
}

}  // namespace
