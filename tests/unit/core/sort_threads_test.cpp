// Threads that help with large sorts: how many, that the answer is the same, and that a program's
// own collation never meets them.
#include <skiff/skiff.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <string_view>
#include <thread>

namespace {

int helpers_of(skiff::connection& db) {
    return sqlite3_limit(db.native_handle(), SQLITE_LIMIT_WORKER_THREADS, -1);
}

/// More than the page cache holds, so that SQLite sorts it in several runs.
void fill(skiff::connection& db) {
    db.exec("create table word (letters text)");
    db.exec(
        "insert into word select hex(randomblob(40)) from (select 1 from json_each(?) as a, "
        "json_each(?) as b)",
        "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]",
        "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]");
    for (int doubled = 0; doubled < 7; ++doubled) {
        db.exec("insert into word select hex(randomblob(40)) from word");
    }
}

constexpr std::string_view unsorted_pairs =
    "select count(*) from (select letters, lag(letters) over (order by letters) as before from "
    "word) where before > letters";

TEST(SortThreads, number_is_the_programs_to_choose) {
    auto none = skiff::connection::open(":memory:");
    auto three = skiff::connection::open(":memory:", {.sort_threads = 3});

    EXPECT_EQ(helpers_of(none), 0);
    EXPECT_EQ(helpers_of(three), 3);
}

TEST(SortThreads, large_sort_with_help_is_in_order) {
    auto db = skiff::connection::open(":memory:", {.sort_threads = 2});
    fill(db);

    EXPECT_EQ(db.one<std::int64_t>("select count(*) from word"), 51'200);
    EXPECT_EQ(db.one<std::int64_t>(unsorted_pairs), 0);
}

TEST(SortThreads, collation_of_the_program_is_called_by_its_thread_only) {
    auto db = skiff::connection::open(":memory:", {.sort_threads = 2});
    fill(db);
    const auto self = std::this_thread::get_id();
    int elsewhere = 0;
    db.define_collation("backwards", [&](std::string_view left, std::string_view right) {
        elsewhere += static_cast<int>(std::this_thread::get_id() != self);
        return right.compare(left);
    });

    db.exec("create index word_backwards on word (letters collate backwards)");

    EXPECT_EQ(helpers_of(db), 0);
    EXPECT_EQ(elsewhere, 0);
}

}  // namespace
