// What a program hears on a processor that its engine was not compiled for; answers are faked.
#include "core/processor.hpp"

#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace {

using skiff::detail::check_processor;
using skiff::detail::missing_features;
using skiff::detail::processor_has;
using skiff_test::failure_of;
using testing::HasSubstr;

bool old_processor(std::string_view name) noexcept {
    return name == "sse4.2" || name == "popcnt";
}

TEST(Processor, engine_for_this_one_may_run) {
    EXPECT_NO_THROW(check_processor("sse4.2 popcnt", old_processor));
    EXPECT_NO_THROW(check_processor("", old_processor));
}

TEST(Processor, engine_for_newer_ones_is_refused_with_what_is_missing) {
    const auto failure =
        failure_of([] { check_processor("sse4.2 avx2 popcnt bmi2", old_processor); });

    EXPECT_EQ(failure.code(), skiff::errc::unsupported);
    EXPECT_THAT(failure.what(), HasSubstr("which lacks avx2 bmi2"));
    EXPECT_THAT(failure.what(), HasSubstr("-DSKIFF_ENGINE_ARCH=baseline"));
}

TEST(Processor, all_missing_are_named) {
    EXPECT_EQ(missing_features("avx avx2", old_processor), "avx avx2");
}

TEST(Processor, unknown_extension_is_not_held_against_it) {
    EXPECT_TRUE(processor_has("an extension of 2040"));
}

TEST(Processor, engine_of_this_build_runs_here) {
    EXPECT_NO_THROW(check_processor());
    EXPECT_NO_THROW(static_cast<void>(skiff::connection::open(":memory:")));
}

}  // namespace
