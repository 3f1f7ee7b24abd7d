// Text in and out of SQLite: every string type, exact lengths, UTF-8 checked on the way in.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::HasSubstr;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr auto bytes_of = "select length(cast(? as blob))"sv;

// -- KB-V2: zero bytes inside

TEST(Texts, kb_v2_zero_byte_survives_bind_and_column) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>(bytes_of, "a\0b"s), 3);
    EXPECT_EQ(db.one<int>(bytes_of, "a\0b"sv), 3);
    EXPECT_EQ(db.one<int>(bytes_of, "a\0b"), 3);
    EXPECT_EQ(db.one<int>(bytes_of, u8"a\0b"), 3);
    EXPECT_EQ(db.one<std::string>("select ?", "a\0b"s), "a\0b"s);
}

TEST(Texts, kb_v2_zero_byte_survives_a_table_and_a_struct) {
    struct item {
        std::string name;
        std::u8string other;
    };
    auto db = connection::open(":memory:");
    db.exec("create table t(name text, other text) strict");

    db.insert_many("insert into t values (?, ?)", std::vector{item{"a\0b"s, u8"\0"s}});
    const auto back = db.one<item>("select * from t");

    EXPECT_EQ(back.name, "a\0b"s);
    EXPECT_TRUE(back.other == u8"\0"s);
    EXPECT_EQ(db.one<int>("select length(cast(name as blob)) from t"), 3);
}

TEST(Texts, kb_v2_zero_byte_survives_a_function) {
    auto db = connection::open(":memory:");
    std::string seen;
    db.define_function("note", [&](std::string_view text) {
        seen = text;
        return seen + "\0!"s;
    });

    const auto back = db.one<std::string>("select note(?)", "a\0b"sv);

    EXPECT_EQ(seen, "a\0b"s);
    EXPECT_EQ(back, "a\0b\0!"s);
}

TEST(Texts, kb_v2_zero_byte_in_sql_is_refused_with_its_offset) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.exec("select 1\0; drop table t"sv); });

    EXPECT_EQ(failure.code(), errc::misuse);
    EXPECT_EQ(failure.sql_offset(), 8);
}

TEST(Texts, kb_v2_zero_byte_in_a_file_name_is_refused) {
    EXPECT_EQ(code_of([] { return connection::open("a\0b.db"s); }), errc::cannot_open);
}

TEST(Texts, kb_v2_zero_byte_in_a_value_does_not_cut_the_error_text) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.one<int>("select ? as size", "a\0b"s); });

    EXPECT_THAT(std::string(failure.advice()), HasSubstr("read it as another type"));
    EXPECT_THAT(failure.what(), HasSubstr("read it as another type"));
}

// -- kinds of strings

TEST(Texts, empty_text_is_not_null) {
    auto db = connection::open(":memory:");

    for (const auto& sql : {"select ? is null"sv, "select ? is not ''"sv}) {
        EXPECT_FALSE(db.one<bool>(sql, ""));
        EXPECT_FALSE(db.one<bool>(sql, std::string()));
        EXPECT_FALSE(db.one<bool>(sql, std::string_view()));
        EXPECT_FALSE(db.one<bool>(sql, std::u8string_view()));
        EXPECT_FALSE(db.one<bool>(sql, std::filesystem::path()));
    }
    EXPECT_EQ(db.one<std::string>("select ''"), "");
}

TEST(Texts, every_string_type_binds_the_same_text) {
    auto db = connection::open(":memory:");
    std::string text = "käse 日本 🧀";
    const std::u8string utf8 = u8"käse 日本 🧀";
    const char* pointer = text.c_str();

    for (const auto& back :
         {db.one<std::string>("select ?", text), db.one<std::string>("select ?", pointer),
          db.one<std::string>("select ?", text.data()),
          db.one<std::string>("select ?", std::string_view(text)),
          db.one<std::string>("select ?", utf8),
          db.one<std::string>("select ?", std::u8string_view(utf8)),
          db.one<std::string>("select ?", skiff::raw_text{text}),
          db.one<std::string>("select ?", u8"käse 日本 🧀"),
          db.one<std::string>("select ?", "käse 日本 🧀")}) {
        EXPECT_EQ(back, text);
    }
}

TEST(Texts, char_array_without_a_terminator_binds_whole) {
    auto db = connection::open(":memory:");
    const char letters[] = {'a', 'b', 'c'};

    EXPECT_EQ(db.one<std::string>("select ?", letters), "abc");
}

TEST(Texts, null_pointer_is_refused) {
    auto db = connection::open(":memory:");
    const char* none = nullptr;
    char* none_mutable = nullptr;

    const auto failure = failure_of([&] { return db.one<std::string>("select ?", none); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_THAT(std::string(failure.advice()), HasSubstr("skiff::null"));
    EXPECT_EQ(code_of([&] { return db.exec("select ?", none_mutable); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", std::optional(none)); }), errc::conversion);
}

TEST(Texts, views_read_what_sqlite_holds) {
    auto db = connection::open(":memory:");

    for (const auto [plain, utf8] :
         db.rows<std::string_view, std::u8string_view>("select 'käse', 'brot'")) {
        EXPECT_EQ(plain, "käse");
        EXPECT_TRUE(utf8 == u8"brot");
    }
}

TEST(Texts, long_text_round_trips) {
    auto db = connection::open(":memory:");
    const std::string text(5'000'000, 'x');

    EXPECT_EQ(db.one<std::string>("select ?", text), text);
}

// -- UTF-8

TEST(Texts, invalid_utf8_is_refused_with_its_offset) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.exec("select ?", "abc\xff"s); });

    EXPECT_EQ(failure.code(), errc::conversion);
    EXPECT_THAT(std::string(failure.message()), HasSubstr("byte 3"));
}

TEST(Texts, invalid_utf8_is_refused_for_every_checked_type) {
    auto db = connection::open(":memory:");
    const std::string bad = "\xc3(";
    const std::u8string bad8(reinterpret_cast<const char8_t*>(bad.data()), bad.size());

    EXPECT_EQ(code_of([&] { return db.exec("select ?", std::string_view(bad)); }),
              errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", bad.c_str()); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", bad8); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.exec("select ?", skiff::value(bad)); }), errc::conversion);
}

TEST(Texts, raw_text_stores_any_bytes) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select ?", skiff::raw_text{"\xff\xfe"}), "\xff\xfe");
}

TEST(Texts, invalid_utf8_is_read_by_string_and_refused_by_u8string) {
    auto db = connection::open(":memory:");
    const auto sql = "select cast(x'ff' as text)"sv;

    EXPECT_EQ(db.one<std::string>(sql), "\xff");
    EXPECT_EQ(code_of([&] { return db.one<std::u8string>(sql); }), errc::conversion);
}

TEST(Texts, invalid_utf8_as_a_function_result_is_refused) {
    auto db = connection::open(":memory:");
    db.define_function("broken", [] { return "\xff"s; });

    EXPECT_EQ(code_of([&] { return db.one<std::string>("select broken()"); }), errc::conversion);
}

TEST(Texts, database_in_utf16_gives_utf8) {
    auto db = connection::open(":memory:");
    db.exec("pragma encoding = 'UTF-16le'");
    db.exec("create table t(x)");
    db.exec("insert into t values (?)", "käse 🧀");

    EXPECT_EQ(db.one<std::string>("select x from t"), "käse 🧀");
    EXPECT_EQ(db.one<std::string>("pragma encoding"), "UTF-16le");
}

// -- paths

TEST(Texts, path_round_trips_byte_for_byte) {
    auto db = connection::open(":memory:");

    for (const std::filesystem::path each :
         {"/tmp/a b", "relative/käse", "", "//double//slash/", "\xff not utf-8"}) {
        EXPECT_EQ(db.one<std::filesystem::path>("select ?", each), each);
    }
}

TEST(Texts, error_shows_only_the_start_of_a_long_text) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of([&] { return db.one<int>("select ?", std::string(999, 'x')); });

    EXPECT_LT(failure.advice().size(), 200U);
}

TEST(Texts, error_does_not_cut_a_character_in_two) {
    auto db = connection::open(":memory:");
    std::string long_text = "a";
    for (int i = 0; i < 50; ++i) long_text += "ä";

    const auto failure = failure_of([&] { return db.one<int>("select ?", long_text); });

    EXPECT_NO_THROW(db.exec("select ?", failure.what()));
}

}  // namespace
