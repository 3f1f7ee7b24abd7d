// Online backup: progress, stopping, targets that cannot take it (KB-L3), and ends in every state.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::fault_scope;
using skiff_test::integrity_of;
using skiff_test::io_call;
using skiff_test::raw_database;
using skiff_test::temp_dir;

constexpr int page_rows = 200;  // of one page each

skiff::connection big_source(const std::filesystem::path& path = ":memory:") {
    auto cx = skiff::connection::open(path);
    cx.exec("create table t(id integer primary key, x)");
    auto tx = cx.begin();
    for (int i = 0; i < page_rows; ++i) tx.exec("insert into t(x) values (zeroblob(3500))");
    tx.commit();
    return cx;
}

skiff::connection old_target(const std::filesystem::path& path, const skiff::open_options& o = {}) {
    auto cx = skiff::connection::open(path, o);
    cx.exec("create table old(x)");
    cx.exec("insert into old values (42)");
    return cx;
}

int rows(skiff::connection& cx) {
    return cx.one<int>("select count(*) from t");
}

/// The target is usable and what it was.
void expect_old(skiff::connection& cx) {
    EXPECT_EQ(cx.one<int>("select x from old"), 42);
    EXPECT_EQ(cx.one<std::string>("pragma integrity_check"), "ok");
    cx.exec("insert into old values (43)");
    cx.exec("delete from old where x = 43");
}

TEST(Backup, whole_database_is_copied_with_progress) {
    const temp_dir dir;
    auto source = big_source(dir / "a.db");
    auto target = old_target(dir / "b.db");
    std::vector<skiff::backup_progress> seen;

    source.backup_to(target, {.pages_per_step = 50, .on_progress = [&](const auto& progress) {
                                  seen.push_back(progress);
                              }});

    EXPECT_EQ(rows(target), page_rows);
    EXPECT_EQ(integrity_of(dir / "b.db"), "ok");
    ASSERT_GE(seen.size(), 4U);
    EXPECT_EQ(seen.front().pages_done, 50);
    EXPECT_EQ(seen.back().pages_done, seen.back().pages_total);
    EXPECT_GT(seen.back().pages_total, page_rows);
}

TEST(Backup, all_pages_at_once_are_a_negative_count) {
    auto source = big_source();
    auto target = skiff::connection::open(":memory:");

    source.backup_to(target, {.pages_per_step = -1});

    EXPECT_EQ(rows(target), page_rows);
}

TEST(Backup, zero_pages_per_step_are_refused) {
    auto source = big_source();
    auto target = skiff::connection::open(":memory:");

    const auto failed = failure_of([&] { source.backup_to(target, {.pages_per_step = 0}); });

    EXPECT_EQ(failed.code(), skiff::errc::misuse);
}

TEST(Backup, stop_ends_it_and_leaves_the_target_as_it_was) {
    const temp_dir dir;
    auto source = big_source();
    auto target = old_target(dir / "b.db");
    std::stop_source stop;

    const auto failed = failure_of([&] {
        source.backup_to(target, {.pages_per_step = 20,
                                  .on_progress = [&](const auto&) { stop.request_stop(); },
                                  .stop = stop.get_token()});
    });

    EXPECT_EQ(failed.code(), skiff::errc::interrupted);
    EXPECT_EQ(failed.message(), "the backup was stopped");
    EXPECT_EQ(failed.object(), (dir / "b.db").string());
    expect_old(target);
}

TEST(Backup, exception_of_the_progress_callback_reaches_the_caller) {
    const temp_dir dir;
    auto source = big_source();
    auto target = old_target(dir / "b.db");

    EXPECT_THROW(source.backup_to(target, {.pages_per_step = 20,
                                           .on_progress =
                                               [](const auto& progress) {
                                                   if (progress.pages_done > 50) {
                                                       throw std::out_of_range("enough");
                                                   }
                                               }}),
                 std::out_of_range);

    expect_old(target);
    EXPECT_EQ(rows(source), page_rows);
}

// KB-L3
TEST(Backup, kb_l3_read_only_target_is_one_error) {
    const temp_dir dir;
    auto source = big_source();
    old_target(dir / "b.db", {.journal = skiff::journal_mode::rollback}).close();
    auto target = skiff::connection::open(dir / "b.db", {.mode = skiff::open_mode::read_only});

    const auto failed = failure_of([&] { source.backup_to(target); });

    EXPECT_EQ(failed.code(), skiff::errc::read_only);
    EXPECT_EQ(failed.operation(), "backup");
    EXPECT_EQ(failed.object(), (dir / "b.db").string());
    EXPECT_EQ(target.one<int>("select x from old"), 42);
    EXPECT_EQ(rows(source), page_rows);
}

// KB-L3
TEST(Backup, kb_l3_write_that_fails_in_the_middle_is_one_error) {
    const temp_dir dir;
    auto source = big_source();
    auto target =
        old_target(dir / "b.db", {.page_cache_kib = 40, .vfs = skiff_test::fault_vfs_name()});
    {
        const fault_scope full({.call = io_call::write, .nth = 50, .code = SQLITE_FULL});

        const auto failed = failure_of([&] { source.backup_to(target, {.pages_per_step = 10}); });

        EXPECT_EQ(failed.code(), skiff::errc::full);
        EXPECT_TRUE(full.fired());
    }

    expect_old(target);
    source.backup_to(target);
    EXPECT_EQ(rows(target), page_rows);
}

// KB-L3: the object may be destroyed in each state, and finished any number of times.
TEST(Backup, kb_l3_end_is_safe_in_every_state) {
    const temp_dir dir;
    auto source = big_source();
    auto target = old_target(dir / "b.db");

    {
        const skiff::backup unused(source, target);
    }
    {
        skiff::backup started(source, target);
        EXPECT_TRUE(started.step(5));
        EXPECT_EQ(started.progress().pages_done, 5);
    }
    {
        skiff::backup finished_early(source, target);
        EXPECT_TRUE(finished_early.step(5));
        finished_early.finish();
        finished_early.finish();
        EXPECT_EQ(code_of([&] { finished_early.step(1); }), skiff::errc::closed);
        EXPECT_EQ(finished_early.progress().pages_total, 0);
    }
    expect_old(target);
    {
        skiff::backup done(source, target);
        EXPECT_FALSE(done.step(-1));
        EXPECT_FALSE(done.step(-1));
    }

    EXPECT_EQ(rows(target), page_rows);
}

// KB-L3, its kind: the object moves, and its connections go first.
TEST(Backup, kb_l3_kind_connections_may_go_before_it) {
    std::optional<skiff::connection> source = big_source();
    std::optional<skiff::connection> target = skiff::connection::open(":memory:");
    skiff::backup first(*source, *target);
    EXPECT_TRUE(first.step(5));
    auto moved = std::move(first);

    target.reset();

    const auto failed = failure_of([&] { moved.step(5); });
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.message(), "the backup is closed");
    moved.finish();
    auto again = skiff::connection::open(":memory:");
    skiff::backup second(*source, again);
    EXPECT_TRUE(second.step(5));
    source.reset();
    EXPECT_EQ(code_of([&] { second.step(5); }), skiff::errc::closed);
    again.exec("create table t(x)");
}

TEST(Backup, target_that_is_the_source_is_refused) {
    auto source = big_source();

    const auto failed = failure_of([&] { source.backup_to(source); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "source and destination must be distinct");
    EXPECT_EQ(failed.operation(), "backup");
    EXPECT_EQ(rows(source), page_rows);
}

TEST(Backup, target_in_a_transaction_is_refused) {
    auto source = big_source();
    auto target = skiff::connection::open(":memory:");
    auto tx = target.begin();
    tx.exec("create table old(x)");

    const auto failed = failure_of([&] { source.backup_to(target); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "destination database is in use");
    tx.commit();
}

TEST(Backup, busy_target_is_waited_for_and_then_told) {
    const temp_dir dir;
    auto source = big_source();
    auto target = old_target(dir / "b.db", {.busy_timeout = 1ms});
    raw_database stock(dir / "b.db");
    stock.exec("begin immediate");

    EXPECT_THROW(source.backup_to(target, {.busy_timeout = 20ms}), skiff::busy);
    skiff::backup copy(source, target);
    EXPECT_EQ(code_of([&] { copy.step(-1); }), skiff::errc::busy);
    stock.exec("commit");
    EXPECT_FALSE(copy.step(-1));
    copy.finish();

    EXPECT_EQ(rows(target), page_rows);
}

TEST(Backup, source_that_changes_is_copied_as_it_is_in_the_end) {
    const temp_dir dir;
    auto source = big_source(dir / "a.db");
    auto target = skiff::connection::open(dir / "b.db");
    raw_database stock(dir / "a.db");
    skiff::backup copy(source, target);

    EXPECT_TRUE(copy.step(50));
    source.exec("update t set x = 'ours' where id = 1");
    EXPECT_TRUE(copy.step(50));
    stock.exec("update t set x = 'theirs' where id = 2");
    EXPECT_FALSE(copy.step(-1));
    copy.finish();

    EXPECT_EQ(rows(target), page_rows);
    EXPECT_EQ(target.one<std::string>("select x from t where id = 1"), "ours");
    EXPECT_EQ(target.one<std::string>("select x from t where id = 2"), "theirs");
    EXPECT_EQ(integrity_of(dir / "b.db"), "ok");
}

TEST(Backup, failed_sync_of_the_target_is_unknown_and_stops_writes_there) {
    const temp_dir dir;
    auto source = big_source();
    auto target = old_target(dir / "b.db", {.vfs = skiff_test::fault_vfs_name()});
    const fault_scope broken({.call = io_call::sync});

    const auto failed = failure_of([&] { source.backup_to(target); });

    EXPECT_EQ(failed.code(), skiff::errc::outcome_unknown);
    EXPECT_EQ(failed.extended_code(), SQLITE_IOERR_FSYNC);
    EXPECT_EQ(code_of([&] { target.exec("create table u(x)"); }), skiff::errc::poisoned);
    EXPECT_EQ(code_of([&] { source.backup_to(target); }), skiff::errc::poisoned);
    source.exec("delete from t");
}

TEST(Backup, timeouts_of_any_length_are_taken) {
    auto source = big_source();
    auto target = skiff::connection::open(":memory:");

    source.backup_to(target, {.busy_timeout = std::chrono::milliseconds::max()});

    EXPECT_EQ(rows(target), page_rows);
}

TEST(Backup, vacuum_into_writes_a_compact_copy) {
    const temp_dir dir;
    auto source = big_source(dir / "a.db");
    source.exec("delete from t where id > 10");

    source.vacuum_into(dir / "käse 日本.db");

    raw_database copy(dir / "käse 日本.db");
    EXPECT_EQ(copy.number("select count(*) from t"), 10);
    EXPECT_LT(copy.number("pragma page_count"), 20);
    EXPECT_EQ(copy.text("pragma integrity_check"), "ok");
}

TEST(Backup, vacuum_into_an_existing_file_is_refused) {
    const temp_dir dir;
    auto source = big_source(dir / "a.db");
    old_target(dir / "b.db").close();

    const auto failed = failure_of([&] { source.vacuum_into(dir / "b.db"); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "output file already exists");
    EXPECT_EQ(code_of([&] { source.vacuum_into(dir / "missing/b.db"); }), skiff::errc::cannot_open);
    EXPECT_EQ(skiff_test::number_in(dir / "b.db", "select x from old"), 42);
}

}  // namespace
