// Space is reserved ahead of commits that are synced, and nobody notices.
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/io_interceptor.hpp"
#include "vfs/os.hpp"
#include "vfs/wal_chain.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <string>

namespace {

using namespace skiff_test;
using skiff::vfs::io_event;

/// Counts the writes that make the log longer; those beyond `space` fail.
class watched_log final : public skiff::vfs::io_interceptor {
  public:
    watched_log() { install(this); }
    ~watched_log() override { install(nullptr); }
    int before(const io_event& event) noexcept override {
        if (event.what != io_event::kind::write) return 0;
        const auto end = event.offset + static_cast<std::int64_t>(event.bytes);
        if (end > space) return ENOSPC;
        growths += end > skiff::vfs::os::size_of(event.fd) ? 1 : 0;
        return 0;
    }
    void after(const io_event&, int) noexcept override {}

    std::atomic<int> growths{0};
    std::atomic<std::int64_t> space{INT64_MAX};
};

class WalSpace : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<raw_database> open(const char* synchronous) const {
        auto db = open_ours(path);
        db->exec(std::string("pragma journal_mode=wal; pragma wal_autocheckpoint=0;") +
                 "create table if not exists t(x); pragma synchronous=" + synchronous);
        return db;
    }
    static void commit(raw_database& db, int count) {
        for (int i = 0; i < count; ++i) db.exec("insert into t values(1)");
    }
    [[nodiscard]] std::int64_t log_bytes() const {
        return static_cast<std::int64_t>(std::filesystem::file_size(log));
    }
    /// Where the frames of the log end.
    [[nodiscard]] std::int64_t frames_end() const {
        const int fd = skiff::vfs::os::open_file(log.c_str(), O_RDWR, 0).fd;
        skiff::vfs::wal_chain chain;
        EXPECT_TRUE(skiff::vfs::follow_chain(fd, chain));
        skiff::vfs::os::close_file(fd);
        return skiff::vfs::wal_header_bytes +
               std::int64_t{chain.committed} * (skiff::vfs::frame_header_bytes + chain.page_bytes);
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::filesystem::path log = path.string() + "-wal";
    watched_log watch;
};

TEST_F(WalSpace, synced_commits_of_a_long_log_find_their_space_there) {
    const auto db = open("full");
    commit(*db, 100);
    const int before = watch.growths;

    commit(*db, 400);

    constexpr int one_in_ten = 40;
    EXPECT_LT(watch.growths - before, one_in_ten);
    EXPECT_GT(log_bytes(), frames_end());
    EXPECT_LE(log_bytes(), frames_end() + (1 << 20));
}

TEST_F(WalSpace, short_log_ends_with_its_frames) {
    const auto db = open("full");

    commit(*db, 20);

    EXPECT_EQ(log_bytes(), frames_end());
}

TEST_F(WalSpace, commits_that_are_not_synced_reserve_nothing) {
    const auto db = open("normal");

    commit(*db, 300);

    EXPECT_EQ(log_bytes(), frames_end());
}

TEST_F(WalSpace, reserved_space_is_no_part_of_the_log_for_others_and_after_a_crash) {
    auto db = open("full");
    commit(*db, 200);
    const auto copy = folder / "copy.db";
    std::filesystem::copy_file(path, copy);
    std::filesystem::copy_file(log, copy.string() + "-wal");

    EXPECT_EQ(open_stock(path)->number("select count(*) from t"), 200);
    EXPECT_EQ(open_stock(copy)->number("select count(*) from t"), 200);
    EXPECT_EQ(integrity_of(copy), "ok");
    open_stock(path)->exec("insert into t values(2)");
    commit(*db, 200);
    EXPECT_EQ(db->number("select count(*) from t"), 401);
    EXPECT_EQ(db->text("pragma integrity_check"), "ok");
}

TEST_F(WalSpace, log_made_short_is_reserved_for_anew) {
    const auto db = open("full");
    commit(*db, 200);
    open_stock(path)->exec("pragma wal_checkpoint(truncate)");
    ASSERT_EQ(log_bytes(), 0);

    commit(*db, 100);

    EXPECT_GT(log_bytes(), frames_end());
}

TEST_F(WalSpace, full_disk_reserves_nothing_and_fails_no_commit) {
    const auto db = open("full");
    commit(*db, 25);
    watch.space = log_bytes() + 100'000;

    commit(*db, 20);

    EXPECT_EQ(db->number("select count(*) from t"), 45);
    EXPECT_EQ(db->text("pragma integrity_check"), "ok");
}

}  // namespace
