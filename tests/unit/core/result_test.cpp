// skiff::attempt and skiff::result: errors as values.
#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace {

skiff::error no_row_error() {
    return skiff::error({.code = skiff::errc::no_row, .message = "m"});
}

TEST(Result, attempt_returns_the_value) {
    auto cx = skiff::connection::open(":memory:");

    const auto got = skiff::attempt([&] { return cx.one<int>("select 41 + 1"); });

    ASSERT_TRUE(got.has_value());
    EXPECT_TRUE(static_cast<bool>(got));
    EXPECT_EQ(got.value(), 42);
    EXPECT_EQ(*got, 42);
    EXPECT_EQ(got.value_or(7), 42);
}

TEST(Result, attempt_returns_the_error) {
    auto cx = skiff::connection::open(":memory:");

    const auto got = skiff::attempt([&] { return cx.one<int>("select 1 where false"); });

    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), skiff::errc::no_row);
    EXPECT_EQ(got.error().sql(), "select 1 where false");
    EXPECT_EQ(got.value_or(7), 7);
}

TEST(Result, value_of_an_error_throws_the_class_that_fits) {
    const skiff::result<int> failed(no_row_error());
    const skiff::result<void> failed_void(no_row_error());

    EXPECT_THROW(static_cast<void>(failed.value()), skiff::no_row);
    EXPECT_THROW(failed_void.value(), skiff::no_row);
}

TEST(Result, attempt_of_void_has_no_value_but_success) {
    auto cx = skiff::connection::open(":memory:");

    const auto fine = skiff::attempt([&] { cx.exec("create table t(x)"); });
    const auto failed = skiff::attempt([&] { cx.exec("create table t(x)"); });

    static_assert(std::is_same_v<decltype(fine), const skiff::result<void>>);
    EXPECT_TRUE(fine.has_value());
    EXPECT_NO_THROW(fine.value());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message(), "table t already exists");
}

TEST(Result, attempt_moves_what_cannot_be_copied) {
    auto made = skiff::attempt([] { return std::make_unique<int>(5); });
    auto opened = skiff::attempt([] { return skiff::connection::open(":memory:"); });

    ASSERT_TRUE(made);
    EXPECT_EQ(**made, 5);
    const std::unique_ptr<int> taken = std::move(made).value();
    EXPECT_EQ(*taken, 5);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->one<int>("select 1"), 1);
}

TEST(Result, attempt_copies_what_is_returned_by_reference) {
    std::string text = "a";

    auto got = skiff::attempt([&]() -> std::string& { return text; });
    text = "b";

    static_assert(std::is_same_v<decltype(got), skiff::result<std::string>>);
    EXPECT_EQ(got.value(), "a");
}

TEST(Result, foreign_exception_passes_through) {
    EXPECT_THROW(static_cast<void>(skiff::attempt([]() -> int { throw std::logic_error("x"); })),
                 std::logic_error);
    EXPECT_THROW(static_cast<void>(skiff::attempt([] { throw 5; })), int);
}

TEST(Result, error_that_was_moved_into_a_result_can_still_be_read) {
    auto original = no_row_error();

    const skiff::result<int> held(std::move(original));

    EXPECT_EQ(held.error().message(), "m");
    // NOLINTNEXTLINE(bugprone-use-after-move): what a moved-from error does is the question
    EXPECT_EQ(original.message(), "m");
}

}  // namespace
