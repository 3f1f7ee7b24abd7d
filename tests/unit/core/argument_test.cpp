// Arguments of a statement: by position, by name, as a list; and every way to give wrong ones.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace {

using skiff::argument_list;
using skiff::connection;
using skiff::errc;
using skiff::named;
using skiff_test::code_of;
using skiff_test::failure_of;
using testing::HasSubstr;

// -- by position

TEST(Arguments, positions_follow_the_question_marks) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select ? || ? || ?", "a", "b", "c"), "abc");
    EXPECT_EQ(db.one<std::string>("select ?2 || ?1", "a", "b"), "ba");
    EXPECT_EQ(db.one<std::string>("select ?1 || ?1", "a"), "aa");
}

TEST(Arguments, numbered_parameter_makes_room_for_those_before_it) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select ?3", 1, 2, 3), 3);
    EXPECT_EQ(code_of([&] { return db.one<int>("select ?3", 3); }), errc::arguments);
}

TEST(Arguments, wrong_number_is_refused_with_both_numbers) {
    auto db = connection::open(":memory:");

    const auto missing = failure_of([&] { return db.exec("select ?, ?", 1); });
    const auto extra = failure_of([&] { return db.exec("select ?", 1, 2); });

    EXPECT_EQ(missing.code(), errc::arguments);
    EXPECT_THAT(std::string(missing.message()), HasSubstr("takes 2"));
    EXPECT_THAT(std::string(missing.message()), HasSubstr("1 were given"));
    EXPECT_EQ(extra.code(), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.exec("select 1", 1); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.exec("select ?"); }), errc::arguments);
}

TEST(Arguments, question_marks_in_strings_and_comments_are_none) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select '?' || ? -- ? and :name", "x"), "?x");
}

TEST(Arguments, refused_arguments_leave_the_statement_usable) {
    auto db = connection::open(":memory:");
    EXPECT_THROW(db.exec("select ?, ?", 1), skiff::error);

    EXPECT_EQ((db.one<std::pair<int, int>>("select ?, ?", 1, 2)), std::pair(1, 2));
}

// -- by name

TEST(Arguments, name_is_found_behind_every_prefix) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select :id", named("id", 7)), 7);
    EXPECT_EQ(db.one<int>("select @id", named("id", 7)), 7);
    EXPECT_EQ(db.one<int>("select $id", named("id", 7)), 7);
    EXPECT_EQ(db.one<int>("select :id", named(":id", 7)), 7);
    EXPECT_EQ(db.one<int>("select @id", named("@id", 7)), 7);
    EXPECT_EQ(db.one<int>("select $id", named("$id", 7)), 7);
}

TEST(Arguments, name_with_another_prefix_is_not_found) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<int>("select :id", named("@id", 7)); }), errc::arguments);
}

TEST(Arguments, names_may_come_in_any_order) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<std::string>("select :a || @b || $c", named("c", "3"), named("a", "1"),
                                  named("b", "2")),
              "123");
}

TEST(Arguments, name_that_stands_twice_is_given_once) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select :a + :a", named("a", 4)), 8);
}

TEST(Arguments, unknown_name_is_refused_with_the_names_there_are) {
    auto db = connection::open(":memory:");

    const auto failure = failure_of(
        [&] { return db.one<int>("select :id + @age", named("id", 1), named("agee", 2)); });

    EXPECT_EQ(failure.code(), errc::arguments);
    EXPECT_EQ(failure.object(), "agee");
    EXPECT_THAT(std::string(failure.advice()), HasSubstr(":id, @age"));
}

TEST(Arguments, name_is_compared_exactly) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<int>("select :id", named("ID", 1)); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.one<int>("select :id", named("", 1)); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.one<int>("select ?", named("", 1)); }), errc::arguments);
}

TEST(Arguments, missing_or_extra_name_is_refused) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.one<int>("select :a + :b", named("a", 1)); }),
              errc::arguments);
    EXPECT_EQ(code_of([&] { return db.one<int>("select :a", named("a", 1), named("b", 1)); }),
              errc::arguments);
}

TEST(Arguments, name_given_twice_is_refused) {
    auto db = connection::open(":memory:");
    const auto* sql = "select coalesce(:a, 0) * 10 + coalesce(:b, 0)";
    EXPECT_EQ(db.one<int>(sql, named("a", 1), named("b", 2)), 12);

    const auto failure = failure_of([&] { return db.one<int>(sql, named("a", 3), named("a", 4)); });

    EXPECT_EQ(failure.code(), errc::arguments);
    EXPECT_EQ(failure.object(), ":a");
}

TEST(Arguments, name_and_its_prefixed_twin_are_the_same) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(code_of([&] { return db.exec("select :a, :b", named("a", 3), named(":a", 4)); }),
              errc::arguments);
}

// -- as a list

TEST(Arguments, list_takes_positions_and_names) {
    auto db = connection::open(":memory:");
    argument_list by_position;
    by_position.positional = {std::int64_t{1}, std::string("x")};
    argument_list by_name;
    by_name.by_name = {{"b", std::string("x")}, {":a", std::int64_t{1}}};
    argument_list mixed;
    mixed.positional = {std::int64_t{1}};
    mixed.by_name = {{"b", std::string("x")}};

    EXPECT_EQ(db.one<std::string>("select ? || ?", by_position), "1x");
    EXPECT_EQ(db.one<std::string>("select :a || :b", by_name), "1x");
    EXPECT_EQ(db.one<std::string>("select ? || :b", mixed), "1x");
}

TEST(Arguments, empty_list_fits_a_statement_without_parameters) {
    auto db = connection::open(":memory:");

    EXPECT_EQ(db.one<int>("select 1", argument_list{}), 1);
    EXPECT_EQ(code_of([&] { return db.one<int>("select ?", argument_list{}); }), errc::arguments);
}

TEST(Arguments, list_with_a_wrong_number_or_name_is_refused) {
    auto db = connection::open(":memory:");
    argument_list too_many;
    too_many.positional = {skiff::null, skiff::null};
    argument_list unknown;
    unknown.by_name = {{"b", skiff::null}};

    EXPECT_EQ(code_of([&] { return db.exec("select :a", too_many); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.exec("select :a", unknown); }), errc::arguments);
}

TEST(Arguments, list_that_gives_one_parameter_twice_is_refused) {
    auto db = connection::open(":memory:");
    argument_list twice;
    twice.by_name = {{"a", std::int64_t{1}}, {":a", std::int64_t{2}}};
    argument_list overlapping;
    overlapping.positional = {std::int64_t{1}};
    overlapping.by_name = {{"a", std::int64_t{2}}};

    EXPECT_EQ(code_of([&] { return db.exec("select :a, :b", twice); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.exec("select :a, :b", overlapping); }), errc::arguments);
}

TEST(Arguments, list_keeps_the_storage_classes) {
    auto db = connection::open(":memory:");
    argument_list list;
    list.positional = {skiff::null, 1.5, std::string("a\0b", 3), skiff::blob{std::byte{0}}};

    EXPECT_EQ(db.one<std::string>("select typeof(?) || typeof(?) || typeof(?) || typeof(?)", list),
              "nullrealtextblob");
}

}  // namespace
