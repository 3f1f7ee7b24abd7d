// The program itself, with the processes that it starts.
#include "harness/process.hpp"
#include "report/samples.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace skiff_bench {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

/// Values by driver and metric of a short run of the rows.
std::map<std::string, std::map<std::string, double>> run(const std::string& rows,
                                                         const std::string& drivers) {
    const skiff_test::temp_dir folder;
    const auto file = folder / "samples.jsonl";
    child program({"run", "--allow-tmpfs", "--rounds", "1", "--seconds", "0.05", "--row", rows,
                   "--driver", drivers, "--dir", folder.path().string(), "--out", file.string()},
                  SKIFF_BENCH_PROGRAM);
    static_cast<void>(program.read_all());
    EXPECT_EQ(program.finish(), 0);
    std::map<std::string, std::map<std::string, double>> values;
    for (const auto& each : read_samples(file).samples) {
        values[each.driver][each.metric] = each.value;
    }
    return values;
}

TEST(Program, stock_process_at_work_is_counted_beside_each_driver) {
    const auto values = run("8 threads read as above*stock process*", "c,skiff-database,limit");

    for (const auto* driver : {"c", "skiff-database"}) {
        for (const auto* metric : {"reads", "writes", "their reads", "their writes"}) {
            EXPECT_GT(values.at(driver).at(metric), 0) << driver << ", " << metric;
        }
    }
    EXPECT_THAT(values, Not(Contains(Key("limit"))));
}

TEST(Program, process_that_only_has_the_file_open_has_no_figures) {
    const auto values = run("1 thread, each reads*a second process*", "skiff-connection");

    EXPECT_GT(values.at("skiff-connection").at("reads"), 0);
    EXPECT_THAT(values.at("skiff-connection"), Not(Contains(Key("their reads"))));
}

TEST(Program, start_of_a_process_is_timed) {
    EXPECT_GT(run("open, read one row*", "skiff-database").at("skiff-database").at("start"), 0);
}

}  // namespace
}  // namespace skiff_bench
