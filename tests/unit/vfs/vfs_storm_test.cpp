// Unchanged programs: many threads with connections of their own read, write and checkpoint one
// database through our VFS. Every transaction keeps a sum, so that a torn or lost one shows.
#include "support/delays.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/main_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace skiff_test;

constexpr int accounts = 60;

/// Whether the file is mapped, and how durable commits are.
class VfsStorm : public testing::TestWithParam<std::tuple<bool, const char*>> {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open() const {
        auto db = open_ours(folder / "a.db");
        db->exec(
            "pragma busy_timeout=60000; pragma journal_mode=wal; pragma wal_autocheckpoint=40");
        db->exec(std::string("pragma synchronous=") + std::get<1>(GetParam()));
        if (std::get<0>(GetParam())) db->exec("pragma mmap_size=268435456");
        return db;
    }
    /// Runs `work` in a thread; what it throws is a fault.
    void start(std::function<void()> work) {
        threads.emplace_back([this, work = std::move(work)] {
            try {
                work();
            } catch (const std::exception& thrown) {
                note(thrown.what());
            }
        });
    }
    void note(const std::string& fault) {
        const std::lock_guard lock(guard);
        faults.push_back(fault);
    }
    void write(std::uint64_t seed) {
        random_numbers random(seed);
        const auto db = open();
        for (int round = 0; round < rounds; ++round) {
            const auto from = std::to_string(random.below(accounts));
            const auto to = std::to_string(random.below(accounts));
            db->exec("begin immediate; update a set n=n-3 where id=" + from +
                     "; update a set n=n+3, pad=hex(randomblob(150)) where id=" + to +
                     "; insert into log(t) values(" + to + ");" +
                     (random.once_in(6) ? "rollback" : "commit"));
        }
    }
    void read() {
        const auto db = open();
        while (writing > 0) {
            const auto sum = db->number("select sum(n) from a");
            if (sum != accounts * 100) note("sum " + std::to_string(sum));
            ++reads;
        }
    }
    void checkpoint() {
        const auto db = open();
        while (writing > 0) {
            static_cast<void>(db->try_exec("pragma wal_checkpoint(passive)"));
            static_cast<void>(db->try_exec("pragma wal_checkpoint(restart)"));
        }
    }
    /// Connections come and go.
    void open_and_close() {
        while (writing > 0) {
            const auto db = open();
            if (db->number("select count(*) from a") != accounts) note("lost an account");
        }
    }

    void storm();

    temp_dir folder;
    int rounds = count_from("SKIFF_STORM_ROUNDS", 60);
    std::atomic<int> writing{0};
    std::atomic<int> reads{0};
    std::mutex guard;
    std::vector<std::string> faults;
    std::vector<std::thread> threads;
};

void VfsStorm::storm() {
    const auto seed = test_seed();
    const auto keeper = open();
    keeper->exec(
        "create table a(id integer primary key, n int, pad text);"
        "create table log(id integer primary key, t int);"
        "with recursive i(i) as (select 0 union all select i+1 from i where i<" +
        std::to_string(accounts - 1) + ") insert into a select i, 100, 'x' from i");
    constexpr int writers = 3;
    writing = writers;
    for (unsigned writer = 0; writer < writers; ++writer) {
        start([this, seed, writer] {
            try {
                write(seed + writer);
            } catch (const std::exception& thrown) {
                note(thrown.what());
            }
            --writing;
        });
    }
    for (int reader = 0; reader < 3; ++reader) start([this] { read(); });
    start([this] { checkpoint(); });
    start([this] { open_and_close(); });

    for (auto& each : threads) each.join();

    EXPECT_EQ(faults, std::vector<std::string>{});
    EXPECT_GT(reads, 0);
    EXPECT_EQ(keeper->number("select sum(n) from a"), accounts * 100);
    EXPECT_EQ(keeper->text("pragma integrity_check"), "ok");
}

TEST_P(VfsStorm, threads_with_connections_of_their_own_see_whole_transactions) {
    storm();
}

TEST_P(VfsStorm, t11_threads_held_up_between_any_two_steps_see_whole_transactions) {
    rounds /= 3;
    const delays held_up(test_seed());

    storm();

    const bool is_full = std::string(std::get<1>(GetParam())) == "full";
    using enum skiff::delay_point;
    EXPECT_EQ(delays::not_passed(index_opened, frames_written), 0);
    EXPECT_EQ(is_full ? delays::not_passed(commit_published, commit_synced) : 0, 0);
}

/// Readers remember the file's size as long as nothing was ever committed to the log.
TEST_P(VfsStorm, first_commit_to_an_empty_log_is_seen_by_readers_of_the_empty_one) {
    open()->exec("create table a(id integer primary key, pad text)");
    for (int round = 0; round < 15; ++round) {
        const auto writer = open();
        const auto rows = writer->number("select count(*) from a");
        writing = 1;
        std::atomic<int> waiting{3};
        for (int reader = 0; reader < 3; ++reader) {
            start([&] {
                const auto db = open();
                std::int64_t seen = db->number("select count(*) from a");
                for (--waiting; seen == rows;) seen = db->number("select count(*) from a");
                if (seen != rows + 40) note("saw half a commit");
            });
        }
        while (waiting > 0) std::this_thread::yield();
        writer->exec(
            "with recursive i(i) as (select 1 union all select i+1 from i where i<40)"
            " insert into a(pad) select hex(randomblob(900)) from i");
        for (auto& each : threads) each.join();
        threads.clear();
    }

    EXPECT_EQ(faults, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         VfsStorm,
                         testing::Combine(testing::Bool(), testing::Values("normal", "full")));

}  // namespace
