// Bytes in and out of SQLite: spans, vectors and arrays of std::byte or unsigned char, with exact
// lengths, and blobs of zeros.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace {

using skiff::blob;
using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;

const blob zero_one_zero{std::byte{0}, std::byte{1}, std::byte{0}};

TEST(Blobs, kb_v2_zero_bytes_survive_bind_and_column) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select length(?)", zero_one_zero), 3);
    EXPECT_EQ(db.one<std::string>("select hex(?)", zero_one_zero), "000100");
    EXPECT_EQ(db.one<blob>("select x'000100'"), zero_one_zero);
}

TEST(Blobs, kb_v2_zero_bytes_survive_a_table_a_struct_and_a_batch) {
    struct item {
        blob content;
        std::array<unsigned char, 3> key;
    };
    auto db = connection::open(":memory:");
    db.exec("create table t(content blob, key blob) strict");

    db.insert_many("insert into t values (?, ?)", std::vector{item{zero_one_zero, {0, 1, 0}}});
    const auto back = db.one<item>("select * from t");

    EXPECT_EQ(back.content, zero_one_zero);
    EXPECT_EQ(back.key, (std::array<unsigned char, 3>{0, 1, 0}));
}

TEST(Blobs, kb_v2_zero_bytes_survive_a_function) {
    auto db = connection::open(":memory:");
    blob seen;
    db.define_function("note", [&](skiff::blob_view bytes) {
        seen.assign(bytes.begin(), bytes.end());
        return bytes;
    });

    const auto back = db.one<blob>("select note(x'000100')");

    EXPECT_EQ(seen, zero_one_zero);
    EXPECT_EQ(back, zero_one_zero);
}

TEST(Blobs, every_byte_container_binds_the_same_blob) {
    auto db = connection::open(":memory:");
    blob bytes = zero_one_zero;
    std::vector<unsigned char> chars{0, 1, 0};
    const std::array<std::byte, 3> array{std::byte{0}, std::byte{1}, std::byte{0}};
    const std::array<unsigned char, 3> char_array{0, 1, 0};

    for (const auto& back :
         {db.one<blob>("select ?", bytes), db.one<blob>("select ?", chars),
          db.one<blob>("select ?", array), db.one<blob>("select ?", char_array),
          db.one<blob>("select ?", std::span(bytes)), db.one<blob>("select ?", std::span(chars)),
          db.one<blob>("select ?", skiff::blob_view(bytes)),
          db.one<blob>("select ?", std::span<const unsigned char>(chars))}) {
        EXPECT_EQ(back, zero_one_zero);
    }
}

TEST(Blobs, every_byte_container_reads_the_same_blob) {
    auto db = connection::open(":memory:");
    const auto* sql = "select x'000100'";

    EXPECT_EQ(db.one<std::vector<unsigned char>>(sql), (std::vector<unsigned char>{0, 1, 0}));
    EXPECT_EQ((db.one<std::array<unsigned char, 3>>(sql)), (std::array<unsigned char, 3>{0, 1, 0}));
    EXPECT_EQ((db.one<std::array<std::byte, 3>>(sql))[1], std::byte{1});
    for (const auto view : db.rows<std::span<const unsigned char>>(sql)) {
        EXPECT_THAT(view, testing::ElementsAre(0, 1, 0));
    }
}

TEST(Blobs, empty_blob_is_not_null) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select typeof(?)", blob()), "blob");
    EXPECT_EQ(db.one<std::string>("select typeof(?)", skiff::blob_view()), "blob");
    EXPECT_EQ(db.one<std::string>("select typeof(?)", std::array<std::byte, 0>{}), "blob");
    EXPECT_EQ(db.one<std::string>("select typeof(?)", skiff::zero_blob{0}), "blob");
    EXPECT_EQ(db.one<blob>("select x''"), blob());
    EXPECT_EQ((db.one<std::optional<blob>>("select x''")), blob());
}

TEST(Blobs, empty_function_result_is_not_null) {
    auto db = connection::open(":memory:");
    db.define_function("no_bytes", [] { return blob(); });
    db.define_function("no_text", [] { return std::string_view(); });

    EXPECT_EQ(db.one<std::string>("select typeof(no_bytes())"), "blob");
    EXPECT_EQ(db.one<std::string>("select typeof(no_text())"), "text");
}

TEST(Blobs, array_of_another_size_is_refused) {
    auto db = connection::open(":memory:");

    const auto failure =
        failure_of([&] { return db.one<std::array<std::byte, 16>>("select x'0001' as key"); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_EQ(failure.object(), "column 0 \"key\"");
    EXPECT_THAT(std::string(failure.message()), testing::HasSubstr("a blob of 2 bytes"));
    EXPECT_EQ(code_of([&] { return db.one<std::array<std::byte, 1>>("select x'0001'"); }),
              errc::conversion);
}

TEST(Blobs, span_of_a_fixed_extent_is_a_blob) {
    auto db = connection::open(":memory:");
    std::array bytes{std::byte{1}, std::byte{0}, std::byte{2}};
    const std::array<unsigned char, 2> chars{3, 4};

    EXPECT_EQ(db.one<blob>("select ?", std::span<const std::byte, 3>(bytes)),
              blob(bytes.begin(), bytes.end()));
    EXPECT_EQ(db.one<blob>("select ?", std::span<std::byte, 3>(bytes)),
              blob(bytes.begin(), bytes.end()));
    EXPECT_EQ(db.one<blob>("select ?", std::span<const unsigned char, 2>(chars)),
              (blob{std::byte{3}, std::byte{4}}));
    EXPECT_TRUE(db.one<blob>("select ?", std::span<const std::byte, 0>()).empty());
}

TEST(Blobs, span_of_a_fixed_extent_reads_a_blob_of_that_length_alone) {
    auto db = connection::open(":memory:");

    for (const auto view : db.rows<std::span<const std::byte, 2>>("select x'0102'")) {
        EXPECT_EQ(view[1], std::byte{2});
    }

    EXPECT_THROW(
        for (const auto view : db.rows<std::span<const std::byte, 2>>("select x'010203'")) {
            static_cast<void>(view);
        },
        skiff::conversion);
}

TEST(Blobs, text_and_number_are_refused) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<blob>("select 'text'"); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<blob>("select 7"); }), errc::conversion);
}

TEST(Blobs, zero_blob_makes_room_for_a_stream) {
    auto db = connection::open(":memory:");
    db.exec("create table t(content)");
    db.exec("insert into t values (?)", skiff::zero_blob{4096});

    auto stream = db.open_blob({.table = "t", .column = "content", .rowid = 1},
                               skiff::blob_access::read_write);
    stream.write(zero_one_zero, 4093);
    stream.close();

    const auto back = db.one<blob>("select content from t");
    EXPECT_EQ(back.size(), 4096U);
    EXPECT_EQ(back[4094], std::byte{1});
    EXPECT_EQ(std::ranges::count(back, std::byte{0}), 4095);
}

TEST(Blobs, large_blob_round_trips) {
    auto db = connection::open(":memory:");
    blob content(3'000'000);
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * 31);

    EXPECT_EQ(db.one<blob>("select ?", content), content);
}

}  // namespace
