// From samples to a table.
#include "report/table.hpp"

#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <tuple>
#include <utility>

namespace skiff_bench {
namespace {

using testing::HasSubstr;

sample rate(const char* driver, int round, double value) {
    return {.suite = "s",
            .row = "r",
            .driver = driver,
            .metric = "reads",
            .unit = "1/s",
            .higher_is_better = true,
            .value = value,
            .round = round};
}

sample_file file_of(std::vector<sample> samples) {
    return {.environment = {}, .samples = std::move(samples)};
}

TEST(Table, ratio_is_taken_round_by_round) {
    // The machine is ten times as slow in the second round: both medians say little, the ratio all.
    const auto table = make_table(
        {file_of({rate("c", 0, 100), rate("x", 0, 300), rate("c", 1, 10), rate("x", 1, 30)})}, {});

    ASSERT_EQ(table.lines.size(), 1U);
    const auto& mine = table.lines[0].cells[1];
    ASSERT_TRUE(mine && mine->ratio);
    EXPECT_DOUBLE_EQ(mine->ratio->low, 3);
    EXPECT_DOUBLE_EQ(mine->ratio->high, 3);
    EXPECT_FALSE(table.lines[0].cells[0]->ratio);
}

TEST(Table, ratio_of_a_time_is_above_one_when_it_is_shorter) {
    auto base = rate("c", 0, 8);
    auto mine = rate("x", 0, 2);
    base.higher_is_better = mine.higher_is_better = false;
    const auto table = make_table({file_of({base, mine})}, {});

    EXPECT_DOUBLE_EQ(table.lines[0].cells[1]->ratio->median, 4);
    EXPECT_TRUE(table.lines[0].cells[1]->is_best);
}

TEST(Table, nobody_is_best_where_intervals_overlap) {
    const auto table = make_table(
        {file_of({rate("c", 0, 10), rate("c", 1, 20), rate("x", 0, 19), rate("x", 1, 30)})}, {});

    EXPECT_FALSE(table.lines[0].cells[0]->is_best);
    EXPECT_FALSE(table.lines[0].cells[1]->is_best);
}

TEST(Table, limit_is_no_competitor) {
    const auto table =
        make_table({file_of({rate("c", 0, 10), rate("x", 0, 19), rate("limit", 0, 99)})}, {});

    EXPECT_TRUE(table.lines[0].cells[1]->is_best);
    EXPECT_FALSE(table.lines[0].cells[2]->is_best);
}

TEST(Table, files_are_not_paired_with_each_other) {
    const auto table = make_table({file_of({rate("c", 0, 10)}), file_of({rate("x", 0, 30)})}, {});

    EXPECT_FALSE(table.lines[0].cells[1]->ratio);
}

TEST(Table, text_has_medians_ratios_and_marks) {
    const auto table =
        make_table({file_of({rate("c", 0, 1234), rate("x", 0, 123456), rate("y", 0, 5)})}, {});

    EXPECT_THAT(as_markdown(table), HasSubstr("| r | reads, 1/s | 1234 | **123 k** (100.05 ×"));
    EXPECT_THAT(as_csv(table), HasSubstr("\"r\",reads,1/s,x,123456,"));
    const auto json = nlohmann::json::parse(as_json(table));
    EXPECT_EQ(json["lines"][0]["drivers"]["x"]["median"], 123456);
    EXPECT_EQ(json["lines"][0]["drivers"]["x"]["best"], true);
}

TEST(Table, latencies_are_left_out_unless_asked_for) {
    auto time = rate("c", 0, 10);
    time.metric = "read p99";
    time.unit = "us";

    EXPECT_TRUE(make_table({file_of({time})}, {}).lines.empty());
    EXPECT_EQ(make_table({file_of({time})}, {.base = "c", .rates_only = false}).lines.size(), 1U);
}

TEST(Samples, are_read_as_they_were_written) {
    const skiff_test::temp_dir folder;
    const auto path = folder / "a.jsonl";
    sample_writer(path, {{"commit", "abc"}}).write(rate("c", 3, 1.5), {{"page_size", "4096"}});
    sample_writer(path, {{"commit", "def"}}).write(rate("x", 4, 2.5), {});

    const auto found = read_samples(path);

    EXPECT_EQ(found.environment["commit"], "abc");
    ASSERT_EQ(found.samples.size(), 2U);
    EXPECT_EQ(found.samples[0].driver, "c");
    EXPECT_EQ(found.samples[1].round, 4);
    EXPECT_EQ(found.samples[1].value, 2.5);
}

TEST(Samples, broken_line_is_named) {
    const skiff_test::temp_dir folder;
    std::ofstream(folder / "a.jsonl") << "{\"environment\":{}}\n{\"suite\":\"s\"}\n";

    try {
        static_cast<void>(read_samples(folder / "a.jsonl"));
        FAIL();
    } catch (const std::runtime_error& wrong) {
        EXPECT_THAT(wrong.what(), HasSubstr("line 2"));
    }
}

TEST(Table, rows_of_the_engine_have_a_geometric_mean_round_by_round) {
    std::vector<sample> samples;
    for (const auto& [row, base, mine] :
         {std::tuple{"sort", 2.0, 1.0}, std::tuple{"join", 8.0, 1.0}}) {
        for (const auto& [driver, value] : {std::pair{"c", base}, std::pair{"x", mine}}) {
            samples.push_back({.suite = "engine",
                               .row = row,
                               .driver = driver,
                               .metric = "wall",
                               .unit = "s",
                               .higher_is_better = false,
                               .value = value,
                               .round = 0});
        }
    }
    const auto table = make_table({file_of(samples)}, {});

    ASSERT_EQ(table.lines.size(), 3U);
    EXPECT_EQ(table.lines[2].row, "geometric mean");
    EXPECT_DOUBLE_EQ(table.lines[2].cells[0]->value.median, 4);
    EXPECT_DOUBLE_EQ(table.lines[2].cells[1]->ratio->median, 4);
}

}  // namespace
}  // namespace skiff_bench
