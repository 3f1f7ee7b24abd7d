// Many open a file at once while one writes without pause (KB-L1): every open succeeds within the
// busy timeout, from threads, from processes, after a crash, and when the journal mode changes.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace std::chrono_literals;
using skiff_test::child_channel;
using skiff_test::child_process;
using skiff_test::integrity_of;
using skiff_test::number_in;
using skiff_test::temp_dir;

constexpr int thread_count = 64;
constexpr int process_count = 16;
constexpr int rounds = 5;

/// Other than the defaults, so that opening has pragmas to run.
skiff::open_options odd_options() {
    return {.durability = skiff::durability::normal,
            .busy_timeout = 60s,
            .page_cache_kib = 500,
            .mmap_bytes = 1 << 20};
}

void make_table(const std::filesystem::path& path) {
    auto cx = skiff::connection::open(path);
    cx.exec("create table t(x)");
    cx.exec("insert into t values (0)");
}

/// Opens, reads and closes `rounds` times; "" or what went wrong.
std::string open_and_read(const std::filesystem::path& path) {
    const auto done = skiff::attempt([&] {
        for (int round = 0; round < rounds; ++round) {
            auto cx = skiff::connection::open(path, odd_options());
            if (cx.one<int>("select count(*) > 0 from t") != 1) throw std::logic_error("no row");
            cx.close();
        }
    });
    return done ? "" : done.error().what();
}

/// A process that commits one row after the other until it is told to end.
child_process start_writer(const std::filesystem::path& path) {
    return child_process([path](child_channel& parent) -> std::string {
        auto cx = skiff::connection::open(path, odd_options());
        std::atomic<bool> ended = false;
        std::jthread listener([&] {
            static_cast<void>(parent.wait());
            ended = true;
        });
        int rows = 0;
        while (!ended) {
            cx.exec("insert into t values (?)", ++rows);
            if (rows == 1) parent.signal();
        }
        return std::to_string(rows);
    });
}

/// Lets all threads begin together; returns what each of them says.
template <class Work>
std::vector<std::string> run_threads(int count, Work work) {
    std::vector<std::string> said(static_cast<std::size_t>(count));
    std::latch together(count);
    std::vector<std::jthread> threads;
    for (auto& answer : said) {
        threads.emplace_back([&answer, &together, &work] {
            together.arrive_and_wait();
            answer = work();
        });
    }
    threads.clear();
    return said;
}

// KB-L1
TEST(CoreOpenStorm, kb_l1_threads_open_while_one_process_writes) {
    const temp_dir dir;
    const auto path = dir / "a.db";
    make_table(path);
    auto writer = start_writer(path);
    ASSERT_TRUE(writer.wait());

    const auto said = run_threads(thread_count, [&] { return open_and_read(path); });

    writer.signal();
    const auto rows = writer.join();
    for (const auto& each : said) EXPECT_EQ(each, "");
    EXPECT_EQ(rows.exit_code, 0) << rows.answer;
    EXPECT_EQ(number_in(path, "select count(*) from t"), std::stoi(rows.answer) + 1);
    EXPECT_EQ(integrity_of(path), "ok");
}

// KB-L1
TEST(CoreOpenStorm, kb_l1_processes_open_while_one_process_writes) {
    const temp_dir dir;
    const auto path = dir / "a.db";
    make_table(path);
    auto writer = start_writer(path);
    ASSERT_TRUE(writer.wait());
    std::vector<child_process> openers;

    for (int i = 0; i < process_count; ++i) {
        openers.emplace_back([&](child_channel&) { return open_and_read(path); });
    }

    for (auto& each : openers) EXPECT_EQ(each.join().answer, "");
    writer.signal();
    const auto rows = writer.join();
    EXPECT_EQ(rows.exit_code, 0) << rows.answer;
    EXPECT_EQ(integrity_of(path), "ok");
}

// KB-L1, its kind: a file that does not exist yet.
TEST(CoreOpenStorm, kb_l1_kind_threads_make_one_file_together) {
    const temp_dir dir;
    const auto path = dir / "new.db";

    const auto said = run_threads(16, [&]() -> std::string {
        const auto done = skiff::attempt([&] {
            auto cx = skiff::connection::open(path, odd_options());
            cx.exec("create table if not exists t(x)");
            cx.exec("insert into t values (1)");
        });
        return done ? "" : done.error().what();
    });

    for (const auto& each : said) EXPECT_EQ(each, "");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 16);
}

// KB-L1, its kind: recovery after a crash needs a lock.
TEST(CoreOpenStorm, kb_l1_kind_threads_open_a_file_that_a_crash_left) {
    const temp_dir dir;
    const auto path = dir / "a.db";
    make_table(path);
    const auto crashed = skiff_test::run_in_child([&]() -> std::string {
        auto cx = skiff::connection::open(path, odd_options());
        for (int i = 0; i < 100; ++i) cx.exec("insert into t values (zeroblob(4000))");
        ::_exit(0);  // the log stays behind
    });
    ASSERT_EQ(crashed.exit_code, 0);
    ASSERT_TRUE(std::filesystem::exists(path.string() + "-wal"));

    const auto said = run_threads(32, [&] { return open_and_read(path); });

    for (const auto& each : said) EXPECT_EQ(each, "");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 101);
}

// KB-L1, its kind: all want the file in WAL mode, and it is not.
TEST(CoreOpenStorm, kb_l1_kind_threads_switch_one_file_to_wal) {
    const temp_dir dir;
    const auto path = dir / "a.db";
    skiff_test::raw_database(path).exec("create table t(x); insert into t values (1)");

    const auto said = run_threads(32, [&] { return open_and_read(path); });

    for (const auto& each : said) EXPECT_EQ(each, "");
    EXPECT_EQ(integrity_of(path), "ok");
}

// KB-L1, its kind: read-only connections while the file is written and closed.
TEST(CoreOpenStorm, kb_l1_kind_readers_open_while_writers_come_and_go) {
    const temp_dir dir;
    const auto path = dir / "a.db";
    make_table(path);
    auto keeps_the_log = skiff::connection::open(path);

    const auto said = run_threads(16, [&]() -> std::string {
        auto options = odd_options();
        const auto done = skiff::attempt([&] {
            for (int round = 0; round < rounds; ++round) {
                skiff::connection::open(path, options).exec("insert into t values (1)");
                options.mode = skiff::open_mode::read_only;
                auto reader = skiff::connection::open(path, options);
                static_cast<void>(reader.one<int>("select count(*) from t"));
                options.mode = skiff::open_mode::read_write;
            }
        });
        return done ? "" : done.error().what();
    });

    for (const auto& each : said) EXPECT_EQ(each, "");
    EXPECT_EQ(keeps_the_log.one<int>("select count(*) from t"), 1 + 16 * rounds);
}

}  // namespace
