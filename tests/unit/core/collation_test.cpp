// Collations from C++ callables: order, equality, indexes, and what they are given.
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff::connection;
using skiff_test::failure_of;
using testing::ElementsAre;

/// Digits by their number, so that "a10" comes after "a9".
int by_length_then_text(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) return left.size() < right.size() ? -1000 : 1000;
    return left.compare(right);
}

std::weak_ordering reversed(std::string_view left, std::string_view right) {
    return right <=> left;
}

connection with_words() {
    auto db = connection::open(":memory:");
    db.exec_script("create table word(x); insert into word values ('bb'), ('a'), ('c'), ('aa')");
    return db;
}

TEST(Collations, order_follows_the_callable) {
    auto db = with_words();
    db.define_collation("by_length", by_length_then_text);
    db.define_collation("reversed", reversed);

    EXPECT_THAT(db.all<std::string>("select x from word order by x collate by_length"),
                ElementsAre("a", "c", "aa", "bb"));
    EXPECT_THAT(db.all<std::string>("select x from word order by x collate reversed"),
                ElementsAre("c", "bb", "aa", "a"));
}

TEST(Collations, equality_follows_the_callable) {
    auto db = with_words();
    db.define_collation("same_length", [](std::string_view a, std::string_view b) {
        return a.size() <=> b.size();
    });

    EXPECT_EQ(db.one<int>("select count(distinct x collate same_length) from word"), 2);
    EXPECT_TRUE(db.one<bool>("select 'ab' = 'cd' collate same_length"));
    EXPECT_FALSE(db.one<bool>("select 'ab' = 'c' collate same_length"));
}

TEST(Collations, index_and_unique_constraint_use_it) {
    auto db = connection::open(":memory:");
    db.define_collation("same_length", [](std::string_view a, std::string_view b) {
        return a.size() <=> b.size();
    });
    db.exec("create table word(x text collate same_length unique)");
    db.exec("insert into word values ('ab')");

    EXPECT_THROW(db.exec("insert into word values ('cd')"), skiff::constraint);
    EXPECT_EQ(db.one<std::string>("select x from word where x = 'zz'"), "ab");
}

TEST(Collations, texts_arrive_with_their_exact_bytes) {
    auto db = connection::open(":memory:");
    std::vector<std::string> seen;
    db.define_collation("noting", [&](std::string_view a, std::string_view b) {
        seen.insert(seen.end(), {std::string(a), std::string(b)});
        return a.compare(b);
    });
    const std::string with_zero("a\0b", 3);

    static_cast<void>(db.one<bool>("select ? < 'käse' collate noting", with_zero));
    static_cast<void>(db.one<bool>("select '' < ? collate noting", with_zero));

    EXPECT_THAT(seen, testing::UnorderedElementsAre(with_zero, "käse", "", with_zero));
}

TEST(Collations, database_in_utf16_gives_utf8_to_it) {
    auto db = connection::open(":memory:");
    db.exec("pragma encoding = 'UTF-16be'");
    db.define_collation("reversed", reversed);
    db.exec_script("create table word(x collate reversed); insert into word values ('ä'), ('🧀')");

    EXPECT_THAT(db.all<std::string>("select x from word order by x"), ElementsAre("🧀", "ä"));
}

TEST(Collations, callable_that_can_only_be_moved_is_taken_and_destroyed) {
    auto watched = std::make_shared<int>(1);
    const std::weak_ptr<int> watcher = watched;
    auto db = with_words();
    db.define_collation("held",
                        [watched = std::move(watched)](std::string_view a, std::string_view b) {
                            return *watched * a.compare(b);
                        });
    EXPECT_EQ(db.one<std::string>("select max(x collate held) from word"), "c");

    db.close();

    EXPECT_TRUE(watcher.expired());
}

TEST(Collations, moved_connection_keeps_its_collations) {
    auto first = with_words();
    first.define_collation("reversed", reversed);

    auto second = std::move(first);

    EXPECT_EQ(second.all<std::string>("select x from word order by x collate reversed").front(),
              "c");
}

TEST(Collations, unknown_collation_is_an_error) {
    auto db = with_words();

    const auto failure =
        failure_of([&] { return db.exec("select x from word order by x collate nowhere"); });

    EXPECT_THAT(std::string(failure.message()), testing::HasSubstr("nowhere"));
}

TEST(Collations, file_that_needs_a_collation_works_once_it_is_defined) {
    const skiff_test::temp_dir folder;
    {
        auto db = connection::open(folder / "words.db");
        db.define_collation("reversed", reversed);
        db.exec_script(
            "create table word(x collate reversed unique);"
            "insert into word values ('a'), ('b')");
    }
    auto db = connection::open(folder / "words.db");

    EXPECT_THROW(db.exec("insert into word values ('c')"), skiff::error);
    db.define_collation("reversed", reversed);
    db.exec("insert into word values ('c')");

    EXPECT_THAT(db.all<std::string>("select x from word order by x"), ElementsAre("c", "b", "a"));
}

TEST(Collations, change_of_schema_keeps_collations) {
    auto db = with_words();
    db.define_collation("reversed", reversed);
    db.exec("create table other(x)");
    db.exec("drop table other");

    EXPECT_EQ(db.one<std::string>("select min(x collate reversed) from word"), "c");
}

}  // namespace
