// The statement cache of a connection: what is kept, for how long, and what never is.
#include "core/connection_state.hpp"
#include "support/failure_of.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using skiff_test::code_of;

skiff::connection memory(std::size_t cache = 128) {
    return skiff::connection::open(":memory:", {.statement_cache_size = cache});
}

/// Statements that SQLite holds for this connection.
int live_statements(const skiff::connection& cx) {
    int count = 0;
    sqlite3_stmt* at = nullptr;
    while ((at = sqlite3_next_stmt(cx.native_handle(), at)) != nullptr) ++count;
    return count;
}

TEST(Cache, same_text_is_prepared_once) {
    auto cx = memory();

    for (int i = 0; i < 10; ++i) EXPECT_EQ(cx.one<int>("select ?", i), i);

    const auto stats = cx.cache_stats();
    EXPECT_EQ(stats.misses, 1U);
    EXPECT_EQ(stats.hits, 9U);
    EXPECT_EQ(stats.size, 1U);
    EXPECT_EQ(stats.capacity, 128U);
}

TEST(Cache, ten_thousand_texts_stay_within_the_bound) {
    auto cx = memory();
    constexpr int count = 10'000;

    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(cx.one<int>("select " + std::to_string(i)), i);
    }

    const auto stats = cx.cache_stats();
    EXPECT_EQ(stats.size, 128U);
    EXPECT_EQ(stats.misses, 10'000U);
    EXPECT_EQ(stats.evictions, 10'000U - 128U);
    EXPECT_EQ(live_statements(cx), 128);
}

TEST(Cache, least_recently_used_one_goes_first) {
    auto cx = memory(2);
    EXPECT_EQ(cx.one<int>("select 1"), 1);
    EXPECT_EQ(cx.one<int>("select 2"), 2);
    EXPECT_EQ(cx.one<int>("select 1"), 1);

    EXPECT_EQ(cx.one<int>("select 3"), 3);  // "select 2" goes

    EXPECT_EQ(cx.cache_stats().hits, 1U);
    EXPECT_EQ(cx.one<int>("select 1"), 1);
    EXPECT_EQ(cx.cache_stats().hits, 2U);
    EXPECT_EQ(cx.one<int>("select 2"), 2);
    EXPECT_EQ(cx.cache_stats().hits, 2U);
}

TEST(Cache, capacity_zero_keeps_nothing) {
    auto cx = memory(0);

    for (int i = 0; i < 3; ++i) EXPECT_EQ(cx.one<int>("select ?", i), i);

    EXPECT_EQ(cx.cache_stats().size, 0U);
    EXPECT_EQ(live_statements(cx), 0);
}

TEST(Cache, same_text_running_twice_gives_two_independent_queries) {
    auto cx = memory();
    cx.exec("create table t(x)");
    cx.exec("insert into t values (1), (2), (3)");
    std::vector<int> pairs;

    for (const int a : cx.rows<int>("select x from t order by x")) {
        for (const int b : cx.rows<int>("select x from t order by x")) pairs.push_back(a * 10 + b);
    }

    EXPECT_EQ(pairs, (std::vector<int>{11, 12, 13, 21, 22, 23, 31, 32, 33}));
    EXPECT_EQ(cx.one<int>("select count(*) from (select x from t order by x)"), 3);
    cx.clear_cache();
    EXPECT_EQ(live_statements(cx), 0);
}

TEST(Cache, recursion_in_one_text_goes_as_deep_as_it_likes) {
    auto cx = memory(4);
    const auto descend = [&cx](auto&& self, int level) -> int {
        int deepest = level;
        for (const int next : cx.rows<int>("select ? + 1", level)) {
            if (next <= 50) deepest = self(self, next);
        }
        return deepest;
    };

    EXPECT_EQ(descend(descend, 0), 50);
    EXPECT_LE(live_statements(cx), 4);
}

TEST(Cache, running_statements_are_not_evicted) {
    auto cx = memory(1);
    auto rows = cx.rows<int>("select 1 union all select 2");
    auto at = rows.begin();

    EXPECT_EQ(cx.one<int>("select 3"), 3);
    ++at;

    EXPECT_EQ(*at, 2);
    EXPECT_EQ(cx.cache_stats().size, 1U);
    EXPECT_EQ(cx.cache_stats().evictions, 0U);
}

TEST(Cache, clear_spares_what_runs) {
    auto cx = memory();
    EXPECT_EQ(cx.one<int>("select 7"), 7);
    auto rows = cx.rows<int>("select 1 union all select 2");
    auto at = rows.begin();

    cx.clear_cache();
    ++at;

    EXPECT_EQ(*at, 2);
    EXPECT_EQ(cx.cache_stats().size, 1U);
    rows.close();
    cx.clear_cache();
    EXPECT_EQ(cx.cache_stats().size, 0U);
    EXPECT_EQ(live_statements(cx), 0);
}

TEST(Cache, key_material_is_never_kept) {
    auto cx = memory();

    cx.exec("pragma key = 'secret-1'");
    cx.exec("/* c */ ; PRAGMA hexkey = 'secret-2'");
    cx.exec("\xEF\xBB\xBFpragma rekey = 'secret-3'");
    cx.exec("attach ':memory:' as other");
    cx.exec("-- with a comment\n ATTACH ':memory:' as another");
    EXPECT_NE(code_of([&] { cx.exec("attach 'x' as y key"); }), skiff::errc::misuse);
    cx.exec("detach other");

    EXPECT_EQ(cx.cache_stats().size, 0U);
    EXPECT_EQ(live_statements(cx), 0);
}

TEST(Cache, failed_texts_leave_nothing) {
    auto cx = memory();

    for (int i = 0; i < 100; ++i) {
        EXPECT_NE(code_of([&] { cx.exec("select " + std::to_string(i) + "; select 2"); }),
                  skiff::errc::generic);
    }

    EXPECT_EQ(cx.cache_stats().size, 0U);
    EXPECT_EQ(live_statements(cx), 0);
}

TEST(Cache, bound_values_do_not_stay_after_the_run) {
    auto cx = memory();
    const std::string text(1000, 'x');

    EXPECT_EQ(cx.one<int>("select length(?)", text), 1000);

    sqlite3_stmt* kept = sqlite3_next_stmt(cx.native_handle(), nullptr);
    ASSERT_NE(kept, nullptr);
    char* expanded = sqlite3_expanded_sql(kept);
    EXPECT_STREQ(expanded, "select length(NULL)");
    sqlite3_free(expanded);
}

TEST(Cache, texts_that_differ_only_in_their_tail_are_told_apart) {
    auto cx = memory();
    for (int i = 0; i < 100; ++i) {
        const std::string number = std::to_string(i);
        EXPECT_EQ(cx.one<std::string>("select 'abcdefgh" + number + "'"), "abcdefgh" + number);
    }

    for (int i = 0; i < 100; ++i) {
        const std::string number = std::to_string(i);
        EXPECT_EQ(cx.one<std::string>("select 'abcdefgh" + number + "'"), "abcdefgh" + number);
    }

    EXPECT_EQ(cx.cache_stats().hits, 100U);
}

}  // namespace
