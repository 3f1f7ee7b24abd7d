// Where SQLite lets a function be used: in indexes, views, triggers and the schema of a file, and
// what a change of the schema does to it.
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using skiff::connection;
using skiff::function_options;
using skiff_test::failure_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr function_options for_schema{
    .deterministic = true, .direct_only = false, .innocuous = true};

std::string reversed(std::string_view text) {
    return {text.rbegin(), text.rend()};
}

connection with_words() {
    auto db = connection::open(":memory:");
    db.exec_script("create table word(x text); insert into word values ('abc'), ('xyz')");
    return db;
}

TEST(FunctionsInSchema, deterministic_function_serves_an_index) {
    auto db = with_words();
    db.define_function("reversed", reversed, for_schema);
    db.exec("create index word_reversed on word(reversed(x))");

    const auto* sql = "select x from word where reversed(x) = 'zyx'";

    EXPECT_EQ(db.one<std::string>(sql), "xyz");
    std::string plan;
    for (const auto& row : db.query("explain query plan " + std::string(sql))) {
        plan += row.get<std::string>("detail");
    }
    EXPECT_THAT(plan, HasSubstr("word_reversed"));
}

TEST(FunctionsInSchema, function_that_may_change_is_refused_in_an_index) {
    auto db = with_words();
    db.define_function("reversed", reversed, {.direct_only = false, .innocuous = true});

    const auto failure =
        failure_of([&] { return db.exec("create index word_reversed on word(reversed(x))"); });

    EXPECT_THAT(std::string(failure.message()), HasSubstr("non-deterministic"));
}

TEST(FunctionsInSchema, deterministic_function_of_constants_is_called_once) {
    auto db = with_words();
    int constant_calls = 0;
    int other_calls = 0;
    db.define_function("fixed", [&](int x) { return ++constant_calls, x; }, for_schema);
    db.define_function("loose", [&](int x) { return ++other_calls, x; });

    static_cast<void>(db.all<int>("select fixed(1) from word"));
    static_cast<void>(db.all<int>("select loose(1) from word"));

    EXPECT_EQ(constant_calls, 1);
    EXPECT_EQ(other_calls, 2);
}

TEST(FunctionsInSchema, direct_only_function_is_refused_in_a_view) {
    auto db = with_words();
    db.define_function("reversed", reversed);
    db.exec("create view backwards as select reversed(x) as x from word");

    const auto failure = failure_of([&] { return db.all<std::string>("select x from backwards"); });

    EXPECT_THAT(std::string(failure.message()), HasSubstr("unsafe use of reversed"));
    EXPECT_EQ(db.one<std::string>("select reversed('ab')"), "ba");
}

TEST(FunctionsInSchema, direct_only_function_is_refused_in_a_trigger) {
    auto db = with_words();
    db.define_function("reversed", reversed);
    db.exec("create trigger after_word after insert on word begin select reversed(new.x); end");

    const auto failure = failure_of([&] { return db.exec("insert into word values ('new')"); });

    EXPECT_THAT(std::string(failure.message()), HasSubstr("unsafe use of reversed"));
    EXPECT_EQ(db.one<int>("select count(*) from word"), 2);
}

TEST(FunctionsInSchema, function_for_the_schema_must_be_innocuous_while_it_is_not_trusted) {
    auto db = with_words();
    db.define_function("reversed", reversed, {.direct_only = false});
    db.exec("create view backwards as select reversed(x) as x from word");

    EXPECT_THROW((void)db.all<std::string>("select x from backwards"), skiff::error);

    db.define_function("reversed", reversed, {.direct_only = false, .innocuous = true});
    EXPECT_THAT(db.all<std::string>("select x from backwards"), ElementsAre("cba", "zyx"));
}

TEST(FunctionsInSchema, trusted_schema_takes_a_function_that_is_not_innocuous) {
    auto db = connection::open(":memory:", {.trusted_schema = true});
    db.define_function("reversed", reversed, {.direct_only = false});

    db.exec("create view backwards as select reversed('ab') as x");

    EXPECT_EQ(db.one<std::string>("select x from backwards"), "ba");
}

TEST(FunctionsInSchema, change_of_schema_keeps_functions_and_statements) {
    auto db = with_words();
    db.define_function("reversed", reversed);
    auto held = db.prepare("select reversed(x) from word order by x limit 1");
    EXPECT_EQ(held.one<std::string>(), "cba");

    db.exec("alter table word add column y");
    db.exec("create table other(x)");
    db.exec("drop table other");

    EXPECT_EQ(held.one<std::string>(), "cba");
    EXPECT_EQ(db.one<std::string>("select reversed('ab')"), "ba");
}

TEST(FunctionsInSchema, new_definition_reaches_statements_that_are_kept) {
    auto db = connection::open(":memory:");
    db.define_function("number", [] { return 1; });
    auto held = db.prepare("select number()");
    EXPECT_EQ(held.one<int>(), 1);

    db.define_function("number", [] { return 2; });

    EXPECT_EQ(held.one<int>(), 2);
}

TEST(FunctionsInSchema, file_that_needs_a_function_works_once_it_is_defined) {
    const skiff_test::temp_dir folder;
    {
        auto db = connection::open(folder / "words.db");
        db.define_function("reversed", reversed, for_schema);
        db.exec("create table word(x, y generated always as (reversed(x)) stored)");
        db.exec("insert into word(x) values ('abc')");
    }
    auto db = connection::open(folder / "words.db");

    EXPECT_THROW(db.exec("insert into word(x) values ('xyz')"), skiff::error);
    db.define_function("reversed", reversed, for_schema);
    db.exec("insert into word(x) values ('xyz')");

    EXPECT_THAT(db.all<std::string>("select y from word"), ElementsAre("cba", "zyx"));
}

}  // namespace
