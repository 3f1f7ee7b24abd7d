// `skiff demo` as a user runs it, on the sample of packages that comes with Skiff.
#include "cli/run_cli.hpp"
#include "support/full_disk.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace skiff_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The sample, found from the program: somewhere above build/<preset>/bin.
std::string sample() {
    for (fs::path folder = fs::path(SKIFF_CLI_PATH).parent_path();; folder = folder.parent_path()) {
        const auto candidate = folder / "examples/data/packages-sample.control";
        if (fs::exists(candidate) || folder == folder.root_path()) return candidate.string();
    }
}

/// The arguments of a run on the sample.
std::vector<std::string> demo(std::vector<std::string> more) {
    more.insert(more.begin(), {"demo", "--input", sample()});
    return more;
}

class Demo : public cli_test {
  protected:
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder())) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }
};

TEST_F(Demo, quick_run_fills_the_tables_and_prints_json) {
    const auto output = output_of(demo({"--quick", "--writers", "16", "--db", "d.db", "--json"}));

    const auto report = nlohmann::json::parse(output);
    const auto packages = report["import"]["packages"].get<std::int64_t>();
    EXPECT_GT(packages, 2000);
    EXPECT_EQ(report["questions"].size(), 5U);
    for (const auto& question : report["questions"]) {
        EXPECT_FALSE(question["rows"].empty()) << question["title"];
    }
    ASSERT_EQ(report["measures"].size(), 4U);
    for (const auto& row : report["measures"]) {
        EXPECT_EQ(row["plain_c"]["rounds"].size(), 5U) << row["name"];
        EXPECT_EQ(row["skiff"]["rounds"].size(), 5U) << row["name"];
    }
    EXPECT_THAT(files(), ElementsAre("d.db"));
    auto db = skiff::connection::open(folder() / "d.db");
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from package"), packages);
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from description"), packages);
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from dependency"),
              report["import"]["dependencies"].get<std::int64_t>());
    EXPECT_EQ(db.one<std::string>("pragma integrity_check"), "ok");
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from pragma_foreign_key_check"), 0);
}

TEST_F(Demo, second_run_says_that_it_replaces_the_file) {
    const auto first = output_of(demo({"--quick", "--writers", "8", "--db", "d.db"}));
    EXPECT_THAT(first, Not(HasSubstr("replaced")));

    const auto second = output_of(demo({"--quick", "--writers", "8", "--db", "d.db"}));

    EXPECT_THAT(second, HasSubstr("d.db is there from an earlier run and will be replaced\n"));
    EXPECT_THAT(second, HasSubstr("\n  durable insert, 8 threads "));
    EXPECT_THAT(second, HasSubstr(" shell d.db\n"));
}

TEST_F(Demo, package_listed_twice_is_stored_once) {
    put("index",
        "Package: a\nVersion: 1\nDescription: first\n\n"
        "Package: a\nVersion: 1\nDescription: again\n\n"
        "Package: a\nVersion: 2\nstray\n");

    const auto output =
        output_of({"demo", "--quick", "--writers", "1", "--json", "--input", "index"});

    const auto imported = nlohmann::json::parse(output)["import"];
    EXPECT_EQ(imported["packages"], 2);
    EXPECT_EQ(imported["duplicates"], 1);
    EXPECT_EQ(imported["bad_lines"], 1);
}

TEST_F(Demo, file_of_somebody_else_is_left_alone) {
    skiff::connection::open(folder() / "mine.db").exec("create table mine(x)");

    const auto refused = run(demo({"--db", "mine.db"}));

    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("mine.db exists and no demo made it"));
    auto db = skiff::connection::open(folder() / "mine.db");
    EXPECT_EQ(db.one<std::string>("select name from sqlite_schema"), "mine");
}

TEST_F(Demo, input_without_packages_leaves_nothing) {
    put("noise", "this is\nno index\n\n");

    const auto failed = run({"demo", "--db", "d.db", "--input", "noise"});

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, HasSubstr("the input holds no packages"));
    EXPECT_THAT(files(), ElementsAre("noise"));
}

TEST_F(Demo, truncated_lz4_input_leaves_nothing) {
    put("list.lz4", std::string("\x04\x22\x4d\x18\x64\x40\xa7", 7));

    const auto failed = run({"demo", "--db", "d.db", "--input", "list.lz4"});

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, HasSubstr("list.lz4: the LZ4 data ends too early"));
    EXPECT_THAT(files(), ElementsAre("list.lz4"));
}

TEST_F(Demo, missing_input_names_the_file) {
    const auto failed = run({"demo", "--db", "d.db", "--input", "absent"});

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, HasSubstr("absent: No such file or directory"));
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Demo, folder_that_is_not_there_cannot_be_opened) {
    EXPECT_EQ(run(demo({"--db", "absent/d.db"})).exit_code, 3);
}

TEST_F(Demo, full_disk_is_reported_and_leaves_nothing) {
    const small_disk disk(folder() / "disk", 512 * 1024);
    if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();

    const auto failed = run(demo({"--db", "disk/d.db"}));

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.err, HasSubstr("full"));
    EXPECT_TRUE(fs::is_empty(folder() / "disk"));
}

TEST_F(Demo, interrupt_while_importing_leaves_no_half_file) {
    cli_process process(folder(), demo({"--db", "d.db"}));
    process.await_output("Input:");

    process.interrupt();

    EXPECT_EQ(process.wait().exit_code, 130);
    // The import of the sample may have been faster than the signal: then the file is whole.
    for (const auto& name : files()) EXPECT_EQ(name, "d.db");
}

TEST_F(Demo, interrupt_while_measuring_keeps_the_packages_only) {
    cli_process process(folder(), demo({"--db", "d.db", "--seconds", "60"}));
    process.await_output("Packages by section");

    process.interrupt();

    const auto done = process.wait();
    EXPECT_EQ(done.exit_code, 130);
    EXPECT_THAT(done.err, HasSubstr("interrupted: d.db is complete"));
    EXPECT_THAT(files(), ElementsAre("d.db"));
}

}  // namespace
}  // namespace skiff_test
