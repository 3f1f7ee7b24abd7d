// One row: columns by index and by name, the whole row as a value, and what happens when the row
// has other columns than asked for.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// Runs `look` on the only row of `sql`.
template <class Look>
void with_row(std::string_view sql, Look&& look) {
    auto db = connection::open(":memory:");
    int rows = 0;
    for (const auto& row : db.query(sql)) {
        look(row);
        ++rows;
    }
    EXPECT_EQ(rows, 1);
}

// -- columns

TEST(Rows, column_is_read_by_index) {
    with_row("select 1, 'two', 3.5", [](const skiff::row& row) {
        EXPECT_EQ(row.size(), 3);
        EXPECT_EQ(row.get<int>(0), 1);
        EXPECT_EQ(row.get<std::string_view>(1), "two");
        EXPECT_EQ(row[2].read<double>(), 3.5);
        EXPECT_EQ(row.at(2).type(), skiff::storage_class::real);
    });
}

TEST(Rows, column_is_read_by_name) {
    with_row("select 1 as id, 'ann' as name, 3 as \"Größe\"", [](const skiff::row& row) {
        EXPECT_EQ(row.get<int>("id"), 1);
        EXPECT_EQ(row.get<std::string>("name"), "ann");
        EXPECT_EQ(row.get<std::string>("NAME"), "ann");
        EXPECT_EQ(row.get<int>("Größe"), 3);
        EXPECT_EQ(row.name(1), "name");
    });
}

TEST(Rows, name_that_stands_twice_means_the_first) {
    with_row("select 1 as id, 2 as id",
             [](const skiff::row& row) { EXPECT_EQ(row.get<int>("id"), 1); });
}

TEST(Rows, index_the_row_does_not_have_is_out_of_range) {
    with_row("select 1, 2", [](const skiff::row& row) {
        for (const int index : {-1, 2, 1000}) {
            EXPECT_EQ(code_of([&] { return row.get<int>(index); }), errc::out_of_range);
            EXPECT_EQ(code_of([&] { return row[index]; }), errc::out_of_range);
            EXPECT_EQ(code_of([&] { return row.name(index); }), errc::out_of_range);
        }
    });
}

TEST(Rows, name_the_row_does_not_have_is_out_of_range) {
    with_row("select 1 as id, 2 as name", [](const skiff::row& row) {
        const auto failure = failure_of([&] { return row.get<int>("nam"); });

        EXPECT_EQ(failure.code(), errc::out_of_range);
        EXPECT_EQ(failure.object(), "nam");
        EXPECT_THAT(std::string(failure.advice()), HasSubstr("id, name"));
        EXPECT_EQ(code_of([&] { return row.get<int>(""); }), errc::out_of_range);
    });
}

TEST(Rows, conversion_names_the_column_and_the_sql) {
    with_row("select 1 as id, 'x' as age", [](const skiff::row& row) {
        const auto failure = failure_of([&] { return row.get<int>("age"); });

        EXPECT_EQ(failure.object(), "column 1 \"age\"");
        EXPECT_EQ(failure.sql(), "select 1 as id, 'x' as age");
        EXPECT_THAT(failure.what(), HasSubstr("TEXT cannot be read as int"));
    });
}

// -- whole rows

TEST(Rows, whole_row_is_a_tuple_pair_struct_or_single_value) {
    struct item {
        int id;
        std::string name;
    };
    with_row("select 7, 'seven'", [](const skiff::row& row) {
        EXPECT_EQ((row.as<std::tuple<int, std::string>>()), std::tuple(7, "seven"));
        EXPECT_EQ((row.as<std::pair<int, std::string>>()), std::pair(7, std::string("seven")));
        EXPECT_EQ(row.as<item>().name, "seven");
    });
    with_row("select 7", [](const skiff::row& row) { EXPECT_EQ(row.as<int>(), 7); });
}

TEST(Rows, whole_row_with_another_number_of_columns_is_refused) {
    struct item {
        int id;
        std::string name;
    };
    with_row("select 7, 'seven', 'more'", [](const skiff::row& row) {
        const auto failure = failure_of([&] { return row.as<item>(); });

        EXPECT_EQ(failure.code(), errc::conversion);
        EXPECT_THAT(std::string(failure.message()), HasSubstr("3 columns"));
        EXPECT_THAT(std::string(failure.message()), HasSubstr("takes 2"));
        EXPECT_EQ(code_of([&] { return row.as<int>(); }), errc::conversion);
    });
}

TEST(Rows, every_call_refuses_another_number_of_columns) {
    using pair = std::pair<int, int>;
    auto db = connection::open(":memory:");
    const auto* sql = "select 1";

    EXPECT_EQ(code_of([&] { return db.one<pair>(sql); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.maybe<pair>(sql); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.all<pair>(sql); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.rows<pair>(sql); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.rows<int, int>(sql); }), errc::conversion);
    EXPECT_EQ(code_of([&] { return db.one<int>("create table t(x)"); }), errc::conversion);
}

TEST(Rows, refused_columns_leave_the_statement_usable) {
    auto db = connection::open(":memory:");
    const auto* sql = "select 1";
    EXPECT_THROW((void)(db.rows<int, int>(sql)), skiff::conversion);

    EXPECT_EQ(db.one<int>(sql), 1);
    EXPECT_EQ(db.cache_stats().hits, 1U);
}

TEST(Rows, refused_columns_of_a_write_have_written_nothing) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x)");

    EXPECT_THROW((void)(db.one<std::pair<int, int>>("insert into t values (1) returning x")),
                 skiff::conversion);

    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
}

// -- typed rows

TEST(Rows, typed_rows_bind_by_structure) {
    auto db = connection::open(":memory:");
    std::vector<std::string> seen;

    for (const auto [id, name, mail] : db.rows<int, std::string_view, std::optional<std::string>>(
             "select 1, 'ann', null union all select 2, 'bob', 'b@b'")) {
        seen.push_back(std::to_string(id) + std::string(name) + mail.value_or("-"));
    }

    EXPECT_THAT(seen, ElementsAre("1ann-", "2bobb@b"));
}

TEST(Rows, typed_rows_of_many_columns_agree_with_single_reads) {
    using wide = std::tuple<int, std::string, double, std::optional<int>, skiff::value, int>;
    auto db = connection::open(":memory:");
    db.exec_script(
        "create table t(a, b, c, d, e, f);"
        "insert into t values (1, 'x', 1.5, null, x'00', 9), (2, '', -1.0, 4, 'v', 8)");
    const auto* sql = "select * from t order by a";
    std::vector<wide> by_range;
    std::vector<wide> by_index;

    for (const auto& each : db.rows<wide>(sql)) by_range.push_back(each);
    for (const auto& row : db.query(sql)) {
        by_index.emplace_back(row.get<int>(0), row.get<std::string>(1), row.get<double>(2),
                              row.get<std::optional<int>>(3), row.get<skiff::value>(4),
                              row.get<int>(5));
    }

    EXPECT_EQ(by_range, by_index);
    EXPECT_EQ(db.all<wide>(sql), by_index);
}

TEST(Rows, columns_that_sqlite_computes_in_different_places_are_read_right) {
    auto db = connection::open(":memory:");
    db.exec_script("create table t(a, b, c); insert into t values (1, 2, 3), (4, 5, 6)");

    using triple = std::tuple<int, int, int>;
    EXPECT_THAT(db.all<triple>("select c, a, b from t union all select 7, 8, 9 "
                               "union all select b, a, c from t order by 1, 2, 3"),
                ElementsAre(triple(2, 1, 3), triple(3, 1, 2), triple(5, 4, 6), triple(6, 4, 5),
                            triple(7, 8, 9)));
}

TEST(Rows, error_in_the_middle_of_a_loop_ends_the_query) {
    auto db = connection::open(":memory:");
    const auto* sql = "select 1 union all select 'x' union all select 3";
    int seen = 0;

    EXPECT_THROW(
        for ([[maybe_unused]] const int each : db.rows<int>(sql)) { ++seen; }, skiff::conversion);

    EXPECT_EQ(seen, 1);
    EXPECT_NO_THROW(db.exec("create table t(x)"));
}

}  // namespace
