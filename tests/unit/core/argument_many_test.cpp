// insert_many: one statement for each element of a range, all or nothing.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using testing::ElementsAre;
using testing::IsEmpty;

struct item {
    std::int64_t id;
    std::optional<std::string> name;
};

constexpr std::string_view insert_item = "insert into item values (?, ?)";

class InsertMany : public testing::Test {
  protected:
    InsertMany() { db.exec("create table item(id integer primary key, name text) strict"); }

    std::vector<std::string> stored() {
        return db.all<std::string>("select id || coalesce(name, '-') from item order by id");
    }

    connection db = connection::open(":memory:");
};

// -- what a range may hold

TEST_F(InsertMany, tuples_and_pairs_are_spread_over_the_parameters) {
    const std::vector<std::tuple<int, std::string>> tuples{{1, "a"}, {2, "b"}};
    const std::array<std::pair<int, const char*>, 1> pairs{{{3, "c"}}};

    EXPECT_EQ(db.insert_many(insert_item, tuples), 2);
    EXPECT_EQ(db.insert_many(insert_item, pairs), 1);

    EXPECT_THAT(stored(), ElementsAre("1a", "2b", "3c"));
}

TEST_F(InsertMany, structs_are_spread_over_the_parameters) {
    EXPECT_EQ(db.insert_many(insert_item, std::vector<item>{{1, "a"}, {2, std::nullopt}}), 2);

    EXPECT_THAT(stored(), ElementsAre("1a", "2-"));
}

TEST_F(InsertMany, single_values_fill_one_parameter) {
    const std::vector<std::optional<std::string>> names{"a", std::nullopt};

    db.insert_many("insert into item(id) values (?)", std::array{5, 7});
    db.insert_many("insert into item(name) values (?)", names);

    EXPECT_THAT(stored(), ElementsAre("5-", "7-", "8a", "9-"));
}

TEST_F(InsertMany, maps_and_sets_are_ranges_as_well) {
    const std::map<int, std::string> map{{1, "a"}, {2, "b"}};
    const std::set<int> set{8, 9};

    db.insert_many(insert_item, map);
    db.insert_many("insert into item(id) values (?)", set);

    EXPECT_THAT(stored(), ElementsAre("1a", "2b", "8-", "9-"));
}

TEST_F(InsertMany, vector_of_bool_is_a_range_of_bools) {
    db.exec("create table flag(flag int)");

    db.insert_many("insert into flag values (?)", std::vector<bool>{true, false, true});
    const std::vector<bool> more{false};
    db.insert_many("insert into flag values (?)", more);

    EXPECT_THAT(db.all<bool>("select flag from flag order by rowid"),
                ElementsAre(true, false, true, false));
}

TEST_F(InsertMany, view_that_makes_its_elements_is_taken) {
    auto numbered = std::views::iota(1, 4) | std::views::transform([](int id) {
                        return std::tuple(id, "name " + std::to_string(id));
                    });

    EXPECT_EQ(db.insert_many(insert_item, numbered), 3);

    EXPECT_THAT(stored(), ElementsAre("1name 1", "2name 2", "3name 3"));
}

TEST_F(InsertMany, range_that_can_be_read_once_is_taken) {
    std::istringstream words("4 5 6");

    EXPECT_EQ(db.insert_many("insert into item(id) values (?)", std::views::istream<int>(words)),
              3);

    EXPECT_THAT(stored(), ElementsAre("4-", "5-", "6-"));
}

TEST_F(InsertMany, many_rows_are_one_statement) {
    std::vector<std::pair<int, std::string>> rows;
    for (int id = 1; id <= 10'000; ++id) rows.emplace_back(id, "name");

    EXPECT_EQ(db.insert_many(insert_item, rows), 10'000);

    EXPECT_EQ(db.one<int>("select count(*) from item"), 10'000);
    EXPECT_FALSE(db.in_transaction());
}

TEST_F(InsertMany, empty_range_does_nothing) {
    EXPECT_EQ(db.insert_many(insert_item, std::vector<item>()), 0);

    EXPECT_THAT(stored(), IsEmpty());
    EXPECT_FALSE(db.in_transaction());
}

TEST_F(InsertMany, update_and_delete_count_their_changes) {
    db.insert_many(insert_item, std::vector<item>{{1, "a"}, {2, "b"}, {3, "c"}});

    EXPECT_EQ(db.insert_many("update item set name = 'x' where id <= ?", std::array{1, 2}), 3);
    EXPECT_EQ(db.insert_many("delete from item where id = ?", std::array{1, 99}), 1);

    EXPECT_THAT(stored(), ElementsAre("2x", "3c"));
}

TEST_F(InsertMany, rows_that_are_returned_are_ignored) {
    const std::vector<item> rows{{1, "a"}, {2, "b"}};

    EXPECT_EQ(db.insert_many("insert into item values (?, ?) returning id", rows), 2);

    EXPECT_THAT(stored(), ElementsAre("1a", "2b"));
}

// -- all or nothing

TEST_F(InsertMany, constraint_in_the_middle_leaves_nothing) {
    const std::vector<item> rows{{1, "a"}, {2, "b"}, {1, "again"}, {4, "d"}};

    EXPECT_THROW(db.insert_many(insert_item, rows), skiff::constraint);

    EXPECT_THAT(stored(), IsEmpty());
    EXPECT_FALSE(db.in_transaction());
}

TEST_F(InsertMany, value_that_cannot_be_bound_leaves_nothing) {
    const std::vector<item> rows{{1, "a"}, {2, "\xff"}};

    EXPECT_THROW(db.insert_many(insert_item, rows), skiff::conversion);

    EXPECT_THAT(stored(), IsEmpty());
}

TEST_F(InsertMany, range_that_throws_leaves_nothing) {
    auto failing = std::views::iota(1, 4) | std::views::transform([](int id) {
                       if (id == 3) throw std::runtime_error("no third");
                       return item{id, "x"};
                   });

    EXPECT_THROW(db.insert_many(insert_item, failing), std::runtime_error);

    EXPECT_THAT(stored(), IsEmpty());
    EXPECT_FALSE(db.in_transaction());
}

TEST_F(InsertMany, wrong_number_of_members_leaves_nothing) {
    const std::vector<std::tuple<int, int, int>> rows{{1, 2, 3}};

    EXPECT_EQ(code_of([&] { return db.insert_many(insert_item, rows); }), errc::arguments);

    EXPECT_FALSE(db.in_transaction());
}

TEST_F(InsertMany, failure_inside_a_transaction_undoes_only_the_batch) {
    auto tx = db.begin();
    tx.exec("insert into item values (10, 'before')");

    EXPECT_THROW(tx.insert_many(insert_item, std::vector<item>{{1, "a"}, {10, "b"}}),
                 skiff::constraint);
    tx.insert_many(insert_item, std::vector<item>{{11, "after"}});
    tx.commit();

    EXPECT_THAT(stored(), ElementsAre("10before", "11after"));
}

TEST_F(InsertMany, failure_under_a_users_begin_undoes_only_the_batch) {
    db.exec("begin");
    db.exec("insert into item values (10, 'before')");

    EXPECT_THROW(db.insert_many(insert_item, std::vector<item>{{1, "a"}, {10, "b"}}),
                 skiff::constraint);
    EXPECT_TRUE(db.in_transaction());
    db.exec("commit");

    EXPECT_THAT(stored(), ElementsAre("10before"));
}

TEST_F(InsertMany, statement_is_usable_after_a_failure) {
    EXPECT_THROW(db.insert_many(insert_item, std::vector<item>{{1, "a"}, {1, "b"}}),
                 skiff::constraint);

    db.insert_many(insert_item, std::vector<item>{{1, "a"}});

    EXPECT_THAT(stored(), ElementsAre("1a"));
}

TEST_F(InsertMany, rolled_back_batch_is_gone_with_its_transaction) {
    {
        auto tx = db.begin();
        tx.insert_many(insert_item, std::vector<item>{{1, "a"}});
    }

    EXPECT_THAT(stored(), IsEmpty());
}

}  // namespace
