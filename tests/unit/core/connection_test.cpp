// A connection as an object: moving, closing, refusing to close, and what it says when closed.
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::temp_dir;

skiff::connection with_blob() {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(b)");
    cx.exec("insert into t values (zeroblob(10))");
    return cx;
}

TEST(Connection, moved_from_connection_is_closed) {
    auto first = with_blob();

    auto second = std::move(first);

    EXPECT_EQ(second.one<int>("select count(*) from t"), 1);
    // NOLINTBEGIN(bugprone-use-after-move): what a moved-from connection does is the question
    EXPECT_FALSE(first.is_open());
    EXPECT_EQ(first.native_handle(), nullptr);
    const auto failed = failure_of([&] { first.exec("select 1"); });
    // NOLINTEND(bugprone-use-after-move)
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.message(), "the connection is closed");
    EXPECT_EQ(failed.advice(), "it was closed, moved from, or its connection was closed before it");
}

TEST(Connection, closed_connection_refuses_every_call) {
    auto cx = with_blob();
    auto other = with_blob();
    cx.close();
    const auto expect_closed = [](auto&& call) { EXPECT_EQ(code_of(call), skiff::errc::closed); };

    expect_closed([&] { cx.exec("select 1"); });
    expect_closed([&] { return cx.one<int>("select 1"); });
    expect_closed([&] { return cx.query("select 1"); });
    expect_closed([&] { return cx.prepare("select 1"); });
    expect_closed([&] { cx.exec_script("select 1"); });
    expect_closed([&] { return cx.begin(); });
    expect_closed([&] { return cx.savepoint(); });
    expect_closed([&] { return cx.in_transaction(); });
    expect_closed([&] { return cx.open_blob({"t", "b", 1}); });
    expect_closed([&] { cx.backup_to(other); });
    expect_closed([&] { other.backup_to(cx); });
    expect_closed([&] { cx.vacuum_into("x.db"); });
    expect_closed([&] { return cx.serialize(); });
    expect_closed([&] { return cx.set_limit(skiff::limit::length, -1); });
    expect_closed([&] { return cx.total_changes(); });
    expect_closed([&] { return cx.cache_stats(); });
    expect_closed([&] { cx.clear_cache(); });
    expect_closed([&] { return cx.path(); });
    expect_closed([&] { cx.define_function("f", [](int x) { return x; }); });
    cx.interrupt();
    EXPECT_FALSE(cx.is_open());
}

TEST(Connection, close_twice_is_allowed) {
    auto cx = with_blob();

    cx.close();
    cx.close();

    EXPECT_FALSE(cx.is_open());
}

TEST(Connection, close_while_a_query_runs_is_refused) {
    auto cx = with_blob();
    auto rows = cx.rows<skiff::blob>("select b from t");
    auto at = rows.begin();

    const auto failed = failure_of([&] { cx.close(); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.operation(), "close");
    EXPECT_EQ(failed.sql(), "select b from t");
    EXPECT_EQ(failed.advice(), "end the loop over its rows first");
    EXPECT_EQ((*at).size(), 10U);
    rows.close();
    cx.close();
    EXPECT_FALSE(cx.is_open());
}

TEST(Connection, close_with_an_open_blob_is_refused_and_changes_nothing) {
    auto cx = with_blob();
    auto held = cx.prepare("select count(*) from t");
    auto stream = cx.open_blob({"t", "b", 1});

    const auto failed = failure_of([&] { cx.close(); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(failed.operation(), "close");
    EXPECT_EQ(failed.advice(), "close its blob streams and backups first");
    EXPECT_TRUE(cx.is_open());
    EXPECT_EQ(held.one<int>(), 1);
    EXPECT_EQ(stream.size(), 10U);
    stream.close();
    cx.close();
    EXPECT_FALSE(cx.is_open());
}

TEST(Connection, close_of_a_backup_source_is_refused_and_changes_nothing) {
    auto source = with_blob();
    auto target = skiff::connection::open(":memory:");
    auto held = source.prepare("select count(*) from t");
    skiff::backup copy(source, target);
    EXPECT_TRUE(copy.step(1));

    const auto failed = failure_of([&] { source.close(); });

    EXPECT_EQ(failed.code(), skiff::errc::busy);
    EXPECT_EQ(held.one<int>(), 1);
    EXPECT_FALSE(copy.step(-1));
    copy.finish();
    source.close();
    EXPECT_EQ(target.one<int>("select count(*) from t"), 1);
}

TEST(Connection, close_of_a_backup_target_is_refused) {
    auto source = with_blob();
    auto target = skiff::connection::open(":memory:");
    skiff::backup copy(source, target);
    EXPECT_TRUE(copy.step(1));

    EXPECT_EQ(code_of([&] { target.close(); }), skiff::errc::busy);

    EXPECT_FALSE(copy.step(-1));
    copy.finish();
    EXPECT_EQ(target.one<int>("select count(*) from t"), 1);
    target.close();
}

TEST(Connection, destruction_with_everything_still_held_is_safe) {
    std::optional<skiff::connection> cx = with_blob();
    auto held = cx->prepare("select 1");
    auto rows = cx->query("select b from t");
    auto at = rows.begin();
    auto stream = cx->open_blob({"t", "b", 1});

    cx.reset();

    EXPECT_EQ(code_of([&] { ++at; }), skiff::errc::closed);
    EXPECT_EQ(stream.size(), 10U);  // SQLite keeps the file open until the last stream is closed
    stream.close();
    EXPECT_EQ(code_of([&] { return held.one<int>(); }), skiff::errc::closed);
}

TEST(Connection, destruction_rolls_an_open_transaction_back) {
    const temp_dir dir;
    {
        auto cx = skiff::connection::open(dir / "a.db");
        cx.exec("create table t(x)");
        cx.exec("begin");
        cx.exec("insert into t values (1)");
    }

    auto again = skiff::connection::open(dir / "a.db");

    EXPECT_EQ(again.one<int>("select count(*) from t"), 0);
}

TEST(Connection, destruction_frees_its_locks_although_a_blob_stream_lives) {
    const temp_dir dir;
    std::optional<skiff::connection> cx = skiff::connection::open(dir / "a.db");
    cx->exec("create table t(b)");
    cx->exec("insert into t values (zeroblob(10))");
    cx->exec("begin immediate");
    auto stream = cx->open_blob({"t", "b", 1});

    cx.reset();

    auto other = skiff::connection::open(dir / "a.db", {.busy_timeout = {}});
    other.exec("insert into t values (1)");
    stream.close();
}

TEST(Connection, path_is_full_for_files_and_empty_for_memory) {
    const temp_dir dir;

    const auto file = skiff::connection::open(dir / "a.db");
    const auto memory = skiff::connection::open(":memory:");
    const auto temporary = skiff::connection::open("");

    EXPECT_EQ(file.path(), std::filesystem::absolute(dir / "a.db"));
    EXPECT_EQ(memory.path(), "");
    EXPECT_EQ(temporary.path(), "");
}

TEST(Connection, total_changes_counts_all_rows_changed) {
    auto cx = with_blob();

    cx.exec("insert into t values (1), (2)");
    cx.exec("delete from t");

    EXPECT_EQ(cx.total_changes(), 6);
}

TEST(Connection, native_handle_is_the_same_database) {
    auto cx = with_blob();

    const int code = sqlite3_exec(cx.native_handle(), "delete from t", nullptr, nullptr, nullptr);

    EXPECT_EQ(code, SQLITE_OK);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 0);
}

TEST(Connection, handles_move_and_do_not_copy) {
    static_assert(!std::is_copy_constructible_v<skiff::connection>);
    static_assert(!std::is_copy_constructible_v<skiff::statement>);
    static_assert(!std::is_copy_constructible_v<skiff::transaction>);
    static_assert(!std::is_copy_constructible_v<skiff::savepoint>);
    static_assert(!std::is_copy_constructible_v<skiff::blob_stream>);
    static_assert(!std::is_copy_constructible_v<skiff::backup>);
    static_assert(!std::is_copy_constructible_v<skiff::image>);
    static_assert(std::is_nothrow_move_constructible_v<skiff::connection>);
    static_assert(std::is_nothrow_move_constructible_v<skiff::transaction>);
    static_assert(std::is_nothrow_move_assignable_v<skiff::savepoint>);
    SUCCEED();
}

TEST(Connection, insert_many_is_all_or_nothing) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x unique)");

    EXPECT_EQ(cx.insert_many("insert into t values (?)", std::vector<int>{1, 2, 3}), 3);
    const auto code = code_of(
        [&] { return cx.insert_many("insert into t values (?)", std::vector<int>{4, 5, 1}); });

    EXPECT_EQ(code, skiff::errc::constraint);
    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(cx.one<int>("select max(x) from t"), 3);
}

}  // namespace
