// Whole databases as bytes: serialize and deserialize, who owns what (KB-R6), and bytes that are no
// database.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::raw_database;
using skiff_test::temp_dir;

skiff::connection with_rows(const std::filesystem::path& path = ":memory:",
                            const skiff::open_options& options = {}) {
    auto cx = skiff::connection::open(path, options);
    cx.exec("create table t(x)");
    cx.exec("insert into t values (1), (2), (3)");
    return cx;
}

int rows(skiff::connection& cx) {
    return cx.one<int>("select count(*) from t");
}

skiff::image image_of(const std::string& bytes) {
    return skiff::image(std::as_bytes(std::span(bytes)));
}

// KB-R6
TEST(Image, kb_r6_copy_is_independent_of_its_source) {
    const temp_dir dir;
    auto file = with_rows(dir / "a.db");
    auto memory = with_rows();
    auto copied = skiff::connection::deserialize(memory.serialize());

    for (auto* source : {&file, &memory, &copied}) {
        auto image = source->serialize();
        source->exec("insert into t values (4)");
        auto again = skiff::connection::deserialize(std::move(image));
        again.exec("delete from t");
        EXPECT_EQ(rows(*source), 4);
        EXPECT_EQ(rows(again), 0);
        EXPECT_EQ(source->one<std::string>("pragma integrity_check"), "ok");
    }
}

// KB-R6
TEST(Image, kb_r6_image_and_databases_may_end_in_any_order) {
    std::optional<skiff::connection> source = with_rows();
    auto first = source->serialize();
    auto second = source->serialize();
    source.reset();

    std::optional<skiff::connection> copy = skiff::connection::deserialize(std::move(first));
    EXPECT_EQ(rows(*copy), 3);
    auto third = copy->serialize();
    copy.reset();

    EXPECT_EQ(second.size(), third.size());
    auto last = skiff::connection::deserialize(std::move(third));
    EXPECT_EQ(rows(last), 3);
}

// KB-R6, its kind: moved and assigned images.
TEST(Image, kb_r6_kind_moved_image_has_one_owner) {
    auto source = with_rows();
    auto first = source.serialize();
    const auto size = first.size();

    skiff::image second = std::move(first);
    first = std::move(second);  // NOLINT(bugprone-use-after-move): moved there and back
    second = source.serialize();

    EXPECT_EQ(first.size(), size);
    EXPECT_EQ(second.size(), size);
    EXPECT_EQ(skiff::image().size(), 0U);
    EXPECT_TRUE(skiff::image().bytes().empty());
}

// KB-R6, its kind: bytes of the program's own are copied.
TEST(Image, kb_r6_kind_bytes_of_the_program_are_copied) {
    std::vector<std::byte> bytes;
    {
        const auto image = with_rows().serialize();
        bytes.assign(image.bytes().begin(), image.bytes().end());
    }
    skiff::image copy{std::span<const std::byte>(bytes)};
    bytes.assign(bytes.size(), std::byte{0});

    auto cx = skiff::connection::deserialize(std::move(copy));

    EXPECT_EQ(rows(cx), 3);
}

TEST(Image, bytes_are_a_file_that_stock_can_read) {
    const temp_dir dir;
    const auto image = with_rows().serialize();
    {
        std::FILE* file = std::fopen((dir / "a.db").c_str(), "wb");
        ASSERT_NE(file, nullptr);
        EXPECT_EQ(std::fwrite(image.bytes().data(), 1, image.size(), file), image.size());
        EXPECT_EQ(std::fclose(file), 0);
    }

    EXPECT_EQ(skiff_test::number_in(dir / "a.db", "select sum(x) from t"), 6);
}

TEST(Image, wal_mode_file_is_serialized_with_its_log_and_can_be_opened) {
    const temp_dir dir;
    auto source = with_rows(dir / "a.db");
    ASSERT_GT(std::filesystem::file_size(dir / "a.db-wal"), 0U);

    auto copy = skiff::connection::deserialize(source.serialize());

    EXPECT_EQ(rows(copy), 3);
    copy.exec("insert into t values (4)");
    EXPECT_EQ(rows(copy), 4);
}

TEST(Image, deserialized_database_grows) {
    auto cx = skiff::connection::deserialize(with_rows().serialize());

    auto tx = cx.begin();
    for (int i = 0; i < 1000; ++i) tx.exec("insert into t values (zeroblob(2000))");
    tx.commit();

    EXPECT_EQ(rows(cx), 1003);
    EXPECT_EQ(cx.one<std::string>("pragma integrity_check"), "ok");
}

TEST(Image, read_only_database_refuses_writes) {
    auto cx = skiff::connection::deserialize(with_rows().serialize(),
                                             {.mode = skiff::open_mode::read_only});

    EXPECT_EQ(rows(cx), 3);
    EXPECT_EQ(code_of([&] { cx.exec("insert into t values (4)"); }), skiff::errc::read_only);
}

TEST(Image, options_hold_for_a_deserialized_database) {
    auto cx = skiff::connection::deserialize(with_rows().serialize(),
                                             {.foreign_keys = false, .statement_cache_size = 7});

    EXPECT_EQ(cx.one<int>("pragma foreign_keys"), 0);
    EXPECT_EQ(cx.cache_stats().capacity, 7U);
}

TEST(Image, garbage_is_an_error_at_once) {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{99}, std::size_t{100}, std::size_t{511}, std::size_t{5000}}) {
        const auto failed = failure_of(
            [&] { return skiff::connection::deserialize(image_of(std::string(size, 'x'))); });

        EXPECT_EQ(failed.code(), skiff::errc::not_a_database) << size;
        EXPECT_EQ(failed.advice(), "the file is encrypted or is no SQLite database");
    }
}

TEST(Image, damaged_image_is_an_error_and_no_crash) {
    const auto sound = with_rows().serialize();
    for (std::size_t at = 0; at < sound.size(); at += 37) {
        std::string bytes(reinterpret_cast<const char*>(sound.bytes().data()), sound.size());
        bytes[at] = static_cast<char>(bytes[at] ^ 0xff);

        const auto read = skiff::attempt([&] {
            auto cx = skiff::connection::deserialize(image_of(bytes));
            return cx.all<skiff::value>("select x from t").size();
        });

        EXPECT_TRUE(read || read.error().code() != skiff::errc::internal) << at;
    }
}

TEST(Image, truncated_image_is_an_error) {
    const auto sound = with_rows().serialize();
    const auto half = sound.bytes().first(sound.size() / 2);

    const auto failed = skiff::attempt([&] {
        auto cx = skiff::connection::deserialize(skiff::image(half));
        return cx.one<int>("select sum(x) from t");
    });

    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), skiff::errc::corrupt);
}

TEST(Image, empty_bytes_are_an_empty_database) {
    auto cx = skiff::connection::deserialize(skiff::image());
    auto from_empty =
        skiff::connection::deserialize(skiff::connection::open(":memory:").serialize());

    for (auto* each : {&cx, &from_empty}) {
        each->exec("create table t(x)");
        EXPECT_EQ(rows(*each), 0);
    }
}

TEST(Image, unknown_schema_is_named) {
    auto cx = with_rows();

    const auto failed = failure_of([&] { return cx.serialize("nowhere"); });

    EXPECT_EQ(failed.code(), skiff::errc::generic);
    EXPECT_EQ(failed.operation(), "serialize");
    EXPECT_EQ(failed.object(), "nowhere");
}

TEST(Image, attached_database_is_serialized_by_its_name) {
    auto cx = with_rows();
    cx.exec("attach ':memory:' as other");
    cx.exec("create table other.u(y)");

    auto copy = skiff::connection::deserialize(cx.serialize("other"));

    EXPECT_EQ(copy.one<int>("select count(*) from u"), 0);
}

TEST(Image, own_uncommitted_changes_are_in_the_image) {
    const temp_dir dir;
    auto source = with_rows(dir / "a.db");
    auto tx = source.begin();
    tx.exec("insert into t values (4)");

    auto copy = skiff::connection::deserialize(source.serialize());

    EXPECT_EQ(rows(copy), 4);
}

TEST(Image, read_error_is_an_error_and_never_a_page_of_zeros) {
    const temp_dir dir;
    auto source = with_rows(dir / "a.db", {.journal = skiff::journal_mode::rollback,
                                           .page_cache_kib = 8,
                                           .vfs = skiff_test::fault_vfs_name()});
    auto tx = source.begin();
    for (int i = 0; i < 200; ++i) tx.exec("insert into t values (randomblob(2000))");
    tx.commit();

    for (int nth = 1; nth < 100; nth += 7) {
        const skiff_test::fault_scope broken({.call = skiff_test::io_call::read, .nth = nth});
        const auto image = skiff::attempt([&] { return source.serialize(); });
        if (!broken.fired()) break;
        ASSERT_FALSE(image) << "an image was made without the page that could not be read: " << nth;
        EXPECT_EQ(image.error().code(), skiff::errc::io);
    }
}

}  // namespace
