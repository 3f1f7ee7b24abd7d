// Disks that are full, really: a small tmpfs (root) and a limit on the size of files. Typed errors
// while it is full, a sound file afterwards, and work goes on when there is room again.
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/full_disk.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::integrity_of;
using skiff_test::number_in;
using skiff_test::run_in_child;
using skiff_test::small_disk;
using skiff_test::temp_dir;

constexpr std::size_t disk_bytes = 2 << 20;
constexpr const char* advice =
    "free space on the disk or raise max_page_count; nothing was "
    "committed";

class CoreDiskFull : public testing::Test {
  protected:
    CoreDiskFull() : disk(dir / "disk", disk_bytes), path(disk / "a.db") {}

    void SetUp() override {
        if (!disk.problem().empty()) GTEST_SKIP() << "no small disk here: " << disk.problem();
        cx = open();
        cx->exec("create table t(id integer primary key, x)");
        cx->exec("insert into t values (1, 'before')");
    }

    [[nodiscard]] skiff::connection open(skiff::journal_mode journal = skiff::journal_mode::wal) {
        return skiff::connection::open(path, {.journal = journal, .page_cache_kib = 40});
    }

    /// Room is made: the same connection goes on, and the file is sound.
    void expect_to_go_on() {
        disk.release();
        cx->exec("insert into t values (1000, 'after')");
        EXPECT_EQ(cx->one<int>("select count(*) from t where id in (1, 1000)"), 2);
        cx->close();
        EXPECT_EQ(integrity_of(path), "ok");
        EXPECT_EQ(number_in(path, "select count(*) from t where id in (1, 1000)"), 2);
    }

    temp_dir dir;
    small_disk disk;
    std::filesystem::path path;
    std::optional<skiff::connection> cx;
};

TEST_F(CoreDiskFull, insert_is_full_and_nothing_is_stored) {
    disk.fill();

    const auto failed = failure_of([&] { cx->exec("insert into t values (2, zeroblob(100000))"); });

    EXPECT_EQ(failed.code(), skiff::errc::full);
    EXPECT_EQ(failed.message(), "database or disk is full");
    EXPECT_EQ(failed.sql(), "insert into t values (2, zeroblob(100000))");
    EXPECT_EQ(failed.advice(), advice);
    EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    expect_to_go_on();
}

TEST_F(CoreDiskFull, commit_is_full_and_the_guard_tells_it) {
    auto tx = cx->begin();
    tx.exec("insert into t values (2, zeroblob(20000))");
    disk.fill();

    const auto failed = failure_of([&] { tx.commit(); });

    EXPECT_EQ(failed.code(), skiff::errc::full);
    EXPECT_EQ(failed.operation(), "commit");
    EXPECT_EQ(failed.advice(), advice);
    EXPECT_FALSE(tx.is_open());
    EXPECT_EQ(code_of([&] { tx.exec("insert into t values (3, 'x')"); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { tx.commit(); }), skiff::errc::misuse);
    EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    expect_to_go_on();
}

TEST_F(CoreDiskFull, statement_in_a_transaction_is_full_and_nothing_commits_by_itself) {
    auto tx = cx->begin();
    tx.exec("insert into t values (2, 'x')");
    disk.fill();

    EXPECT_EQ(code_of([&] {
                  for (int id = 3; id < 200; ++id) {
                      tx.exec("insert into t values (?, zeroblob(20000))", id);
                  }
              }),
              skiff::errc::full);

    EXPECT_EQ(tx.is_open(), cx->in_transaction());
    EXPECT_NE(code_of([&] {
                  tx.exec("insert into t values (999, 'x')");
                  tx.commit();
              }),
              skiff::errc::internal);
    EXPECT_EQ(number_in(path, "select count(*) from t"), 1);
    expect_to_go_on();
}

TEST_F(CoreDiskFull, rollback_journal_mode_is_full_and_goes_on) {
    cx->close();
    cx = open(skiff::journal_mode::rollback);
    disk.fill();

    EXPECT_EQ(code_of([&] { cx->exec("insert into t values (2, zeroblob(100000))"); }),
              skiff::errc::full);

    EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    expect_to_go_on();
}

TEST_F(CoreDiskFull, backup_is_full_and_both_databases_are_what_they_were) {
    auto source = skiff::connection::open(":memory:");
    source.exec("create table big(x)");
    for (int i = 0; i < 100; ++i) source.exec("insert into big values (zeroblob(20000))");
    disk.fill(300'000);

    const auto failed = failure_of([&] { source.backup_to(*cx, {.pages_per_step = 10}); });

    EXPECT_EQ(failed.code(), skiff::errc::full);
    EXPECT_EQ(failed.operation(), "backup");
    EXPECT_EQ(failed.object(), path.string());
    EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    EXPECT_EQ(source.one<int>("select count(*) from big"), 100);
    expect_to_go_on();
}

TEST_F(CoreDiskFull, vacuum_into_is_full_and_the_source_is_what_it_was) {
    disk.fill(4096);

    const auto failed = failure_of([&] { cx->vacuum_into(disk / "copy.db"); });

    EXPECT_EQ(failed.code(), skiff::errc::full);
    EXPECT_EQ(cx->one<int>("select count(*) from t"), 1);
    std::filesystem::remove(disk / "copy.db");
    expect_to_go_on();
}

TEST_F(CoreDiskFull, checkpoint_is_full_and_loses_nothing) {
    for (int id = 2; id < 50; ++id) cx->exec("insert into t values (?, zeroblob(10000))", id);
    disk.fill();

    EXPECT_EQ(code_of([&] { cx->exec("pragma wal_checkpoint(truncate)"); }), skiff::errc::full);

    EXPECT_EQ(cx->one<int>("select count(*) from t"), 49);
    expect_to_go_on();
    EXPECT_EQ(number_in(path, "select count(*) from t"), 50);
}

TEST_F(CoreDiskFull, new_file_on_a_full_disk_is_an_error_that_names_it) {
    cx->close();
    disk.fill();

    const auto failed = failure_of([&] {
        auto made = skiff::connection::open(disk / "new.db");
        made.exec("create table t(x)");
    });

    EXPECT_TRUE(failed.code() == skiff::errc::full || failed.code() == skiff::errc::io ||
                failed.code() == skiff::errc::cannot_open)
        << failed.what();
    disk.release();
    skiff::connection::open(disk / "new.db").exec("create table if not exists t(x)");
    EXPECT_EQ(integrity_of(disk / "new.db"), "ok");
}

TEST_F(CoreDiskFull, shared_memory_that_cannot_grow_is_an_error_that_names_the_file) {
    cx->close();
    std::filesystem::remove(disk / "a.db-shm");
    disk.fill();

    const auto opened = skiff::attempt([&] { return open().one<int>("select count(*) from t"); });

    EXPECT_TRUE(opened ? *opened == 1 : opened.error().object() == path.string());
    cx = std::nullopt;
    disk.release();
    EXPECT_EQ(open().one<int>("select count(*) from t"), 1);
}

/// In a child whose files may not grow beyond 256 KiB: what `work` says.
template <class Work>
std::string with_small_files(const std::filesystem::path& path, Work work) {
    const auto result = run_in_child([&]() -> std::string {
        auto cx = skiff::connection::open(path);
        cx.exec("create table t(id integer primary key, x)");
        cx.exec("insert into t values (1, 'before')");
        skiff_test::limit_file_size(256 << 10);
        const std::string said = work(cx);
        skiff_test::limit_file_size(100 << 20);
        cx.exec("insert into t values (1000, zeroblob(500000))");
        return said;
    });
    return result.answer + (result.signal != 0 ? " and died" : "");
}

TEST(CoreFileLimit, insert_beyond_the_limit_is_told_and_undone) {
    const temp_dir dir;

    const auto said = with_small_files(dir / "a.db", [](skiff::connection& cx) {
        const auto failed =
            failure_of([&] { cx.exec("insert into t values (2, zeroblob(400000))"); });
        return std::string(skiff::name_of(failed.code()));
    });

    EXPECT_EQ(said, "SQLITE_FULL");
    EXPECT_EQ(integrity_of(dir / "a.db"), "ok");
    EXPECT_EQ(number_in(dir / "a.db", "select count(*) from t where id in (1, 1000)"), 2);
}

TEST(CoreFileLimit, commit_beyond_the_limit_is_told_and_the_guard_has_ended) {
    const temp_dir dir;

    const auto said = with_small_files(dir / "a.db", [](skiff::connection& cx) {
        auto tx = cx.begin();
        tx.exec("insert into t values (2, zeroblob(400000))");
        const auto failed = failure_of([&] { tx.commit(); });
        return std::string(skiff::name_of(failed.code())) + (tx.is_open() ? " open" : " ended");
    });

    EXPECT_EQ(said, "SQLITE_FULL ended");
    EXPECT_EQ(integrity_of(dir / "a.db"), "ok");
    EXPECT_EQ(number_in(dir / "a.db", "select count(*) from t where id in (1, 1000)"), 2);
}

TEST(CoreFileLimit, backup_beyond_the_limit_leaves_the_target_as_it_was) {
    const temp_dir dir;

    const auto said = with_small_files(dir / "a.db", [](skiff::connection& cx) {
        auto source = skiff::connection::open(":memory:");
        source.exec("create table big(x)");
        source.exec("insert into big values (zeroblob(600000))");
        const auto failed = failure_of([&] { source.backup_to(cx, {.pages_per_step = 10}); });
        return std::to_string(cx.one<int>("select count(*) from t")) + " " +
               std::string(failed.operation());
    });

    EXPECT_EQ(said, "1 backup");
    EXPECT_EQ(integrity_of(dir / "a.db"), "ok");
}

}  // namespace
