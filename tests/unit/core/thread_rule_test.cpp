// "One thread at a time": debug builds end the program when the rule is broken, and say what to do
// instead. Handing a connection over is allowed.
#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

TEST(ThreadRule, connection_may_be_handed_to_another_thread) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    auto insert = cx.prepare("insert into t values (?)");

    for (int i = 0; i < 10; ++i) std::jthread([&] { insert.exec(i); }).join();

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 10);
}

TEST(ThreadRule, callback_may_use_the_connection_of_its_own_thread) {
    auto cx = skiff::connection::open(":memory:");
    cx.define_function("inner", [&cx] { return cx.one<int>("select 5"); });

    EXPECT_EQ(cx.one<int>("select inner()"), 5);
    EXPECT_EQ(cx.one<int>("select inner() + inner()"), 10);
}

TEST(ThreadRule, interrupt_alone_is_allowed_from_everywhere) {
    auto cx = skiff::connection::open(":memory:");
    cx.define_function("stop_from_outside", [&cx] {
        std::jthread([&cx] { cx.interrupt(); }).join();
        return 1;
    });

    EXPECT_THROW(static_cast<void>(cx.all<int>("select stop_from_outside() union all select 2")),
                 skiff::interrupted);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)

constexpr const char* told =
    "two threads use one connection at the same time; give each thread "
    "its own connection";

/// Calls `work` on another thread while this one is inside the connection.
template <class Work>
void break_the_rule(Work work) {
    auto cx = skiff::connection::open(":memory:");
    cx.exec("create table t(x)");
    cx.define_function("meanwhile", [&] {
        std::jthread([&] { work(cx); }).join();
        return 1;
    });
    static_cast<void>(cx.one<int>("select meanwhile()"));
}

class ThreadRuleDeathTest : public testing::Test {
  protected:
    ThreadRuleDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ThreadRuleDeathTest, query_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { cx.exec("select 1"); }), told);
}

TEST_F(ThreadRuleDeathTest, transaction_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { auto tx = cx.begin(); }), told);
}

TEST_F(ThreadRuleDeathTest, prepare_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { auto held = cx.prepare("select 1"); }), told);
}

TEST_F(ThreadRuleDeathTest, script_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { cx.exec_script("select 1"); }), told);
}

TEST_F(ThreadRuleDeathTest, blob_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { auto stream = cx.open_blob({"t", "x", 1}); }), told);
}

TEST_F(ThreadRuleDeathTest, definition_on_a_second_thread_ends_the_program) {
    EXPECT_DEATH(break_the_rule([](auto& cx) { cx.define_function("f", [](int x) { return x; }); }),
                 told);
}

#endif

}  // namespace
