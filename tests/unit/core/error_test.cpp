// skiff::error itself: names of codes, the class that fits, copies that cannot fail, and a text
// that can be read on one line.
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace {

using skiff::errc;
using skiff_test::failure_of;
using skiff_test::temp_dir;

template <class Class>
bool is_thrown_as(errc code, int extended_code = 0) {
    try {
        skiff::throw_error({.code = code, .extended_code = extended_code, .message = "m"});
    } catch (const skiff::error& thrown) {
        return typeid(thrown) == typeid(Class) && thrown.code() == code;
    }
}

TEST(Error, name_of_every_code_is_told) {
    EXPECT_STREQ(name_of(errc::generic), "SQLITE_ERROR");
    EXPECT_STREQ(name_of(errc::busy), "SQLITE_BUSY");
    EXPECT_STREQ(name_of(errc::io), "SQLITE_IOERR");
    EXPECT_STREQ(name_of(errc::not_a_database), "SQLITE_NOTADB");
    EXPECT_STREQ(name_of(errc::conversion), "SKIFF_CONVERSION");
    EXPECT_STREQ(name_of(errc::outcome_unknown), "SKIFF_OUTCOME_UNKNOWN");
    for (int code = 1000; code <= 1012; ++code) {
        EXPECT_EQ(std::string_view(name_of(static_cast<errc>(code))).substr(0, 6), "SKIFF_");
    }
    EXPECT_STREQ(name_of(static_cast<errc>(4242)), "SQLITE_UNKNOWN");
}

TEST(Error, name_of_extended_code_falls_back_to_its_primary_code) {
    EXPECT_STREQ(skiff::name_of_extended(SQLITE_CONSTRAINT_UNIQUE), "SQLITE_CONSTRAINT_UNIQUE");
    EXPECT_STREQ(skiff::name_of_extended(SQLITE_BUSY_SNAPSHOT), "SQLITE_BUSY_SNAPSHOT");
    EXPECT_STREQ(skiff::name_of_extended(SQLITE_IOERR_FSYNC), "SQLITE_IOERR_FSYNC");
    EXPECT_STREQ(skiff::name_of_extended(SQLITE_BUSY | (200 << 8)), "SQLITE_BUSY");
    EXPECT_STREQ(skiff::name_of_extended(0), "SQLITE_OK");
    EXPECT_STREQ(skiff::name_of_extended(-1), "SQLITE_UNKNOWN");
}

TEST(Error, names_of_storage_classes_are_told) {
    EXPECT_STREQ(name_of(skiff::storage_class::integer), "INTEGER");
    EXPECT_STREQ(name_of(skiff::storage_class::null), "NULL");
}

TEST(Error, class_that_fits_is_thrown) {
    EXPECT_TRUE(is_thrown_as<skiff::busy>(errc::busy));
    EXPECT_TRUE(is_thrown_as<skiff::busy>(errc::locked));
    EXPECT_TRUE(is_thrown_as<skiff::busy_snapshot>(errc::busy, SQLITE_BUSY_SNAPSHOT));
    EXPECT_TRUE(is_thrown_as<skiff::constraint>(errc::constraint));
    EXPECT_TRUE(is_thrown_as<skiff::interrupted>(errc::interrupted));
    EXPECT_TRUE(is_thrown_as<skiff::corrupt>(errc::corrupt));
    EXPECT_TRUE(is_thrown_as<skiff::corrupt>(errc::not_a_database));
    EXPECT_TRUE(is_thrown_as<skiff::no_row>(errc::no_row));
    EXPECT_TRUE(is_thrown_as<skiff::conversion>(errc::conversion));
    EXPECT_TRUE(is_thrown_as<skiff::timeout>(errc::timeout));
    EXPECT_TRUE(is_thrown_as<skiff::outcome_unknown>(errc::outcome_unknown));
    EXPECT_TRUE(is_thrown_as<skiff::error>(errc::full));
    EXPECT_TRUE(is_thrown_as<skiff::error>(errc::poisoned));
}

TEST(Error, copies_cannot_fail_and_share_their_text) {
    static_assert(std::is_nothrow_copy_constructible_v<skiff::error>);
    static_assert(std::is_nothrow_copy_assignable_v<skiff::error>);
    static_assert(std::is_nothrow_copy_constructible_v<skiff::busy_snapshot>);
    const skiff::error original({.code = errc::full, .message = "m", .object = "o"});

    const skiff::error copy = original;

    EXPECT_EQ(copy.what(), original.what());
    EXPECT_EQ(copy.code(), errc::full);
}

TEST(Error, moved_from_error_can_still_be_read) {
    skiff::busy original({.code = errc::busy, .message = "m"});

    const skiff::busy taken = std::move(original);
    skiff::error assigned({.code = errc::full, .message = "n"});
    assigned = std::move(original);  // NOLINT(bugprone-use-after-move): the question

    EXPECT_STREQ(taken.what(), "m");
    EXPECT_STREQ(original.what(), "m");  // NOLINT(bugprone-use-after-move): the question
    EXPECT_STREQ(assigned.what(), "m");
}

TEST(Error, text_holds_all_parts_in_order) {
    const skiff::error full({.code = errc::io,
                             .extended_code = SQLITE_IOERR_READ,
                             .system_errno = 5,
                             .message = "disk I/O error",
                             .operation = "step",
                             .object = "a.db",
                             .sql = "select 1",
                             .sql_offset = 7,
                             .advice = "look at the disk"});

    EXPECT_STREQ(full.what(),
                 "disk I/O error [step]: a.db (SQLITE_IOERR_READ) (errno 5); SQL: select 1 at byte "
                 "7; look at the disk");
    EXPECT_EQ(full.details().sql_offset, 7);
    EXPECT_EQ(full.system_errno(), 5);
}

TEST(Error, text_is_one_line_whatever_is_in_it) {
    const skiff::error odd({.message = "a\nb",
                            .operation = "o",
                            .object = std::string("x\0y\x7f", 4),
                            .sql = "select\n1,\r\n\t2"});

    const std::string_view text = odd.what();

    EXPECT_EQ(text, "a b [o]: x y ; SQL: select 1,   2");
}

TEST(Error, long_sql_is_cut_around_the_fault_between_characters) {
    std::string sql;
    for (int i = 0; i < 100; ++i) sql += "ä";
    sql += "!";
    for (int i = 0; i < 100; ++i) sql += "日";

    for (int offset = 190; offset < 215; ++offset) {
        const skiff::error cut({.message = "m", .sql = sql, .sql_offset = offset});
        const std::string_view text = cut.what();
        EXPECT_NE(text.find("!"), std::string_view::npos);
        EXPECT_LT(text.size(), 180U);
        auto cx = skiff::connection::open(":memory:");
        EXPECT_NO_THROW(static_cast<void>(cx.one<int>("select length(?)", text))) << offset;
    }
}

TEST(Error, offset_beyond_the_text_is_harmless) {
    const skiff::error odd({.message = "m", .sql = "select", .sql_offset = 1000});

    EXPECT_NE(std::string_view(odd.what()).find("m; SQL: "), std::string_view::npos);
}

TEST(Error, every_kind_reads_well_on_one_line) {
    const temp_dir dir;
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x integer check (x < 10), y text not null default '')");
    cx.exec("insert into t(x) values (1), (2)");
    std::vector<skiff::error> all;
    const auto collect = [&all](auto&& work) { all.push_back(failure_of(work)); };

    collect([&] { return skiff::connection::open(dir / "missing\n/a.db"); });
    collect([&] { cx.exec("selec\n1"); });
    collect([&] { cx.exec("select 1;\nselect 2"); });
    collect([&] { cx.exec("\n"); });
    collect([&] { cx.exec("insert into t values (?,\n?)", 1); });
    collect([&] { cx.exec("insert into t(x) values (11)"); });
    collect([&] { cx.exec("insert into t values (1,\nnull)"); });
    collect([&] { return cx.one<int>("select x from t where\nx > 5"); });
    collect([&] { return cx.one<int>("select\nx from t"); });
    collect([&] { return cx.one<int>("select\n'a\nb'"); });
    collect([&] { return cx.one<std::uint8_t>("select 256"); });
    collect([&] { cx.exec("select ?", "\xff\n"); });
    collect([&] { cx.backup_to(cx); });

    for (const auto& each : all) {
        const std::string_view text = each.what();
        EXPECT_EQ(text.find('\n'), std::string_view::npos) << text;
        EXPECT_FALSE(each.message().empty());
        EXPECT_FALSE(each.operation().empty()) << text;
        EXPECT_TRUE(text.starts_with(each.message().substr(0, 5))) << text;
        EXPECT_STRNE(name_of(each.code()), "SQLITE_UNKNOWN");
    }
}

TEST(Error, invalid_utf8_is_refused_with_its_offset_and_raw_text_stores_it) {
    auto cx = skiff::connection::open(":memory:");
    const std::string bad =
        "abc\xff"
        "def";

    const auto failed = failure_of([&] { return cx.one<std::string>("select ?", bad); });

    EXPECT_EQ(failed.code(), errc::conversion);
    EXPECT_EQ(failed.message(), "text is not valid UTF-8 at byte 3");
    EXPECT_EQ(failed.operation(), "bind");
    EXPECT_EQ(failed.object(), "parameter 1");
    EXPECT_EQ(failed.sql(), "select ?");
    EXPECT_EQ(failed.advice(),
              "bind it as bytes, or as skiff::raw_text if it must be stored as it is");
    EXPECT_EQ(cx.one<std::string>("select hex(?)", skiff::raw_text{bad}), "616263FF646566");
}

TEST(Error, null_into_a_type_without_null_names_the_column) {
    auto cx = skiff::connection::open(":memory:");

    const auto failed = failure_of([&] { return cx.one<double>("select null as price"); });

    EXPECT_EQ(failed.code(), errc::conversion);
    EXPECT_EQ(failed.message(), "NULL cannot be read as double");
    EXPECT_EQ(failed.operation(), "read");
    EXPECT_EQ(failed.object(), "column 0 \"price\"");
    EXPECT_EQ(failed.advice(), "read it as std::optional if NULL is a normal answer");
}

TEST(Error, text_with_embedded_nul_keeps_its_length) {
    auto cx = skiff::connection::open(":memory:");
    const std::string text("a\0b", 3);

    EXPECT_EQ(cx.one<std::string>("select ?", text), text);
    EXPECT_EQ(cx.one<int>("select length(cast(? as blob))", text), 3);
}

}  // namespace
