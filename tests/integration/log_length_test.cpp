// What a program hears of a log that a reader keeps long, and of one whose sync failed.
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"
#include "vfs/io_interceptor.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <vector>

namespace skiff_test {
namespace {

using namespace std::chrono_literals;

/// Alarms, from whatever thread.
struct heard {
    std::mutex guard;
    std::vector<skiff::log_alarm> alarms;

    [[nodiscard]] std::size_t count() {
        const std::lock_guard lock(guard);
        return alarms.size();
    }
};

class LogLength : public testing::Test {
  protected:
    [[nodiscard]] skiff::database open() {
        skiff::open_options options;
        options.durability = skiff::durability::normal;
        options.on_log_held_back = [this](const skiff::log_alarm& alarm) {
            const std::lock_guard lock(alarms.guard);
            alarms.alarms.push_back(alarm);
            throw std::runtime_error("dropped");
        };
        auto db = skiff::database::open(path, options);
        db.exec("create table if not exists t(x)");
        return db;
    }
    /// Writes until `done`, for half a minute at most.
    template <class Done>
    static bool write_until(skiff::database& db, Done&& done) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        db.exec("insert into t values (zeroblob(9000000))");
        while (!done() && std::chrono::steady_clock::now() < until) {
            db.exec("insert into t values (1)");
        }
        return done();
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    heard alarms;
};

TEST_F(LogLength, b23_reader_that_holds_the_log_is_told_with_its_age) {
    auto db = open();
    {
        auto reading = db.read();
        EXPECT_EQ(reading.one<int>("select count(*) from t"), 0);
        EXPECT_TRUE(write_until(db, [this] { return alarms.count() >= 2; }));
    }

    ASSERT_GE(alarms.alarms.size(), 2U);
    EXPECT_EQ(alarms.alarms[0].path, path.native());
    EXPECT_GT(alarms.alarms[0].log_bytes, 8 << 20);
    EXPECT_GE(alarms.alarms[1].oldest_read, 900ms);
}

TEST_F(LogLength, b23_log_without_readers_raises_no_alarm) {
    auto db = open();
    const auto resets = [&] {
        const auto file = db.stats().file;
        return file ? file->log_resets : 0;
    };
    static_cast<void>(db.one<int>("select 1 from sqlite_schema"));

    EXPECT_TRUE(write_until(db, [&] { return resets() > 0; }));

    EXPECT_EQ(alarms.count(), 0U);
}

TEST_F(LogLength, oldest_read_is_seen_in_the_status) {
    auto writing = skiff::connection::open(path);
    writing.exec("create table t(x)");
    auto reading = skiff::connection::open(path);
    const auto read = reading.begin(skiff::transaction_mode::deferred);
    ASSERT_EQ(reading.one<int>("select count(*) from t"), 0);

    const auto first = writing.file_status()->oldest_read;
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < 2ms) {
    }

    EXPECT_EQ(first, 0us);
    EXPECT_GE(writing.file_status()->oldest_read, 2ms);
}

TEST_F(LogLength, e6_alone_mode_can_be_turned_off) {
    skiff::open_options options;
    options.alone_mode = false;
    auto db = skiff::connection::open(path, options);
    db.exec("create table t(x)");

    for (int i = 0; i < 200; ++i) static_cast<void>(db.one<int>("select count(*) from t"));

    EXPECT_EQ(db.file_status()->alone_begun, 0U);
    EXPECT_GE(db.file_status()->kernel_lock_calls, 400U);
}

/// Syncs fail while it is set.
class broken_disk final : public skiff::vfs::io_interceptor {
  public:
    broken_disk() { install(this); }
    ~broken_disk() override { install(nullptr); }
    int before(const skiff::vfs::io_event& event) noexcept override {
        if (event.what != skiff::vfs::io_event::kind::sync) return 0;
        ++syncs;
        return is_broken ? EIO : 0;
    }
    void after(const skiff::vfs::io_event&, int) noexcept override {}

    std::atomic<bool> is_broken{false};
    std::atomic<int> syncs{0};
};

TEST_F(LogLength, b22_database_with_a_failed_sync_says_what_to_do) {
    broken_disk disk;
    {
        auto db = skiff::connection::open(path);
        db.exec("create table t(x)");
        disk.is_broken = true;
        EXPECT_THROW(db.exec("insert into t values (1)"), skiff::error);
    }

    const auto failure = failure_of([&] { auto db = skiff::connection::open(path); });

    EXPECT_EQ(failure.code(), skiff::errc::io);
    EXPECT_NE(failure.details().advice.find("a sync of this file failed"), std::string::npos);
    disk.is_broken = false;
    auto db = skiff::connection::open(path);
    EXPECT_NO_THROW(db.exec("insert into t values (2)"));
}

TEST_F(LogLength, b14_connection_waits_until_what_it_sees_is_durable) {
    broken_disk disk;
    skiff::open_options options;
    options.durability = skiff::durability::normal;
    auto db = skiff::connection::open(path, options);
    db.exec("create table t(x)");
    const int before = disk.syncs;

    db.wait_durable();
    EXPECT_EQ(disk.syncs - before, 1);
    db.wait_durable();
    EXPECT_EQ(disk.syncs - before, 1);

    options.vfs = "unix";
    auto stock = skiff::connection::open(folder / "b.db", options);
    EXPECT_EQ(failure_of([&] { stock.wait_durable(); }).code(), skiff::errc::unsupported);
}

}  // namespace
}  // namespace skiff_test
