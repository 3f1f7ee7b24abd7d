// Blob streams: ranges, other rows, rows that change underneath, and the transaction they hold.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff::blob_access;
using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::fault_scope;
using skiff_test::io_call;
using skiff_test::raw_database;
using skiff_test::temp_dir;

std::vector<std::byte> bytes(std::size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

skiff::connection with_blobs(const std::filesystem::path& path = ":memory:",
                             const skiff::open_options& options = {}) {
    auto cx = skiff::connection::open(path, options);
    cx.exec("create table t(id integer primary key, b, n)");
    cx.exec("insert into t values (1, x'00010203040506070809', 5), (2, 'text', 6), (3, null, 7)");
    return cx;
}

TEST(BlobStream, part_is_read_and_written_in_place) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
    std::vector<std::byte> part(3);

    stream.read(part, 4);
    stream.write(bytes(2, 0xff), 8);
    stream.close();

    EXPECT_EQ(part, (std::vector<std::byte>{std::byte{4}, std::byte{5}, std::byte{6}}));
    EXPECT_EQ(cx.one<std::string>("select hex(b) from t where id = 1"), "0001020304050607FFFF");
}

TEST(BlobStream, zero_blob_makes_room_that_a_stream_fills) {
    auto cx = with_blobs();
    cx.exec("insert into t(id, b) values (9, ?)", skiff::zero_blob{1'000'000});
    auto stream = cx.open_blob({"t", "b", 9}, blob_access::read_write);

    for (std::size_t at = 0; at < stream.size(); at += 1000) stream.write(bytes(1000, 7), at);
    stream.close();

    EXPECT_EQ(cx.one<skiff::blob>("select b from t where id = 9"), bytes(1'000'000, 7));
}

TEST(BlobStream, range_beyond_the_end_is_refused) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
    std::vector<std::byte> part(4);
    constexpr auto huge = std::numeric_limits<std::size_t>::max();

    const auto failed = failure_of([&] { stream.read(part, 7); });

    EXPECT_EQ(failed.code(), skiff::errc::out_of_range);
    EXPECT_EQ(failed.message(), "bytes 7 to 11 of a blob of 10");
    EXPECT_EQ(failed.advice(), "a blob stream cannot change the size: update the row first");
    EXPECT_EQ(code_of([&] { stream.write(part, 7); }), skiff::errc::out_of_range);
    EXPECT_EQ(code_of([&] { stream.read(part, huge); }), skiff::errc::out_of_range);
    EXPECT_EQ(code_of([&] { stream.read(part, huge - 2); }), skiff::errc::out_of_range);
    stream.read({}, 10);
    stream.read(part, 6);
}

TEST(BlobStream, missing_things_are_named) {
    auto cx = with_blobs();
    const auto open = [&cx](const skiff::blob_location& where) {
        return failure_of([&] { return cx.open_blob(where); });
    };

    const auto row = open({"t", "b", 99});
    EXPECT_EQ(row.code(), skiff::errc::generic);
    EXPECT_EQ(row.message(), "no such rowid: 99");
    EXPECT_EQ(row.object(), "main.t.b rowid 99");
    EXPECT_EQ(row.operation(), "open_blob");
    EXPECT_EQ(open({"t", "z", 1}).message(), "no such column: \"z\"");
    EXPECT_EQ(open({"z", "b", 1}).message(), "no such table: main.z");
    EXPECT_EQ(open({"t", "n", 1}).message(), "cannot open value of type integer");
    EXPECT_EQ(open({"t", "b", 3}).message(), "cannot open value of type null");
    EXPECT_EQ(open({"t", "b", 1, "nowhere"}).code(), skiff::errc::generic);
}

TEST(BlobStream, text_can_be_streamed_too) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 2});

    EXPECT_EQ(stream.size(), 4U);
}

TEST(BlobStream, reading_stream_refuses_to_write) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1});

    const auto failed = failure_of([&] { stream.write(bytes(1, 1), 0); });

    EXPECT_EQ(failed.code(), skiff::errc::read_only);
    EXPECT_EQ(failed.operation(), "write blob");
}

TEST(BlobStream, reopen_moves_to_another_row) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1});

    stream.reopen(2);

    EXPECT_EQ(stream.size(), 4U);
}

TEST(BlobStream, reopen_of_a_missing_row_is_named_and_ends_the_stream) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1});
    std::vector<std::byte> part(1);

    const auto failed = failure_of([&] { stream.reopen(99); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.message(), "no such rowid: 99");
    EXPECT_EQ(failed.operation(), "reopen blob");
    EXPECT_NE(code_of([&] { stream.read(part, 0); }), skiff::errc::internal);
}

TEST(BlobStream, changed_or_deleted_row_expires_the_stream) {
    auto cx = with_blobs();
    std::vector<std::byte> part(1);

    for (const char* change : {"update t set n = 1 where id = 1", "delete from t where id = 1"}) {
        auto stream = cx.open_blob({"t", "b", 1});
        cx.exec(change);

        const auto failed = failure_of([&] { stream.read(part, 0); });

        EXPECT_EQ(failed.code(), skiff::errc::abort);
        EXPECT_EQ(failed.message(), "the row of the open blob was changed or deleted");
        EXPECT_EQ(failed.advice(), "open the blob again");
    }
}

TEST(BlobStream, write_outside_a_transaction_commits_when_it_is_closed) {
    const temp_dir dir;
    auto cx = with_blobs(dir / "a.db");
    raw_database stock(dir / "a.db");
    auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
    stream.write(bytes(1, 0xaa), 0);
    EXPECT_EQ(stock.text("select hex(b) from t where id = 1"), "00010203040506070809");

    stream.close();

    EXPECT_EQ(stock.text("select hex(b) from t where id = 1"), "AA010203040506070809");
}

TEST(BlobStream, write_in_a_transaction_goes_with_it) {
    auto cx = with_blobs();
    {
        auto tx = cx.begin();
        auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
        stream.write(bytes(1, 0xaa), 0);
        stream.close();
    }

    EXPECT_EQ(cx.one<std::string>("select hex(b) from t where id = 1"), "00010203040506070809");
}

TEST(BlobStream, closed_and_moved_from_streams_refuse) {
    auto cx = with_blobs();
    auto first = cx.open_blob({"t", "b", 1});
    std::vector<std::byte> part(1);

    auto second = std::move(first);
    second.close();
    second.close();

    // NOLINTNEXTLINE(bugprone-use-after-move): what a moved-from stream does is the question
    EXPECT_EQ(code_of([&] { return first.size(); }), skiff::errc::closed);
    const auto failed = failure_of([&] { second.read(part, 0); });
    EXPECT_EQ(failed.code(), skiff::errc::closed);
    EXPECT_EQ(failed.message(), "the blob stream is closed");
    EXPECT_FALSE(second.is_open());
    cx.close();
}

TEST(BlobStream, assignment_closes_the_old_stream) {
    auto cx = with_blobs();
    auto stream = cx.open_blob({"t", "b", 1});

    stream = cx.open_blob({"t", "b", 2});

    EXPECT_EQ(stream.size(), 4U);
    stream.close();
    cx.close();
}

TEST(BlobStream, failed_sync_at_close_is_told_and_stops_further_writes) {
    const temp_dir dir;
    auto cx = with_blobs(dir / "a.db", {.vfs = skiff_test::fault_vfs_name()});
    auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
    stream.write(bytes(1, 0xaa), 0);

    const fault_scope broken({.call = io_call::sync, .file = "-wal"});
    const auto failed = failure_of([&] { stream.close(); });

    EXPECT_EQ(failed.code(), skiff::errc::outcome_unknown);
    EXPECT_EQ(failed.extended_code(), SQLITE_IOERR_FSYNC);
    EXPECT_FALSE(stream.is_open());
    EXPECT_EQ(code_of([&] { cx.exec("delete from t"); }), skiff::errc::poisoned);
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 3);
}

TEST(BlobStream, failed_sync_in_the_destructor_stops_further_writes) {
    const temp_dir dir;
    auto cx = with_blobs(dir / "a.db", {.vfs = skiff_test::fault_vfs_name()});
    const fault_scope broken({.call = io_call::sync, .file = "-wal"});
    {
        auto stream = cx.open_blob({"t", "b", 1}, blob_access::read_write);
        stream.write(bytes(1, 0xaa), 0);
    }

    EXPECT_EQ(code_of([&] { cx.exec("delete from t"); }), skiff::errc::poisoned);
}

}  // namespace
