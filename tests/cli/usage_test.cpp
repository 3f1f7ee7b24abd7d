// The command line itself: help, version, and what is said when it makes no sense.
#include "cli/run_cli.hpp"

#include <skiff/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace skiff_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Usage : public cli_test {};

TEST_F(Usage, version_names_skiff_and_sqlite) {
    EXPECT_EQ(output_of({"--version"}), std::string("skiff ") + skiff::library_version() +
                                            " (SQLite " + skiff::sqlite_version() + ")\n");
}

TEST_F(Usage, help_lists_verbs_and_exit_codes) {
    const auto help = output_of({"--help"});
    for (const char* part : {"exec ", "shell ", "import ", "info ", "check ", "demo ", "  130  "}) {
        EXPECT_THAT(help, HasSubstr(part));
    }
}

TEST_F(Usage, help_of_each_verb_has_examples) {
    for (const char* verb : {"exec", "shell", "import", "info", "check"}) {
        const auto help = output_of({verb, "--help"});
        EXPECT_THAT(help, HasSubstr(std::string("Usage: skiff ") + verb));
        EXPECT_THAT(help, HasSubstr(std::string("Examples:\n  skiff ") + verb));
    }
}

TEST_F(Usage, help_fits_a_terminal_and_speaks_no_parser_syntax) {
    const std::vector<std::vector<std::string>> commands = {
        {"--help"},         {"exec", "--help"},  {"shell", "--help"}, {"import", "--help"},
        {"info", "--help"}, {"check", "--help"}, {"stats", "--help"}, {"demo", "--help"},
    };
    for (const auto& arguments : commands) {
        std::istringstream help(output_of(arguments));
        for (std::string line; std::getline(help, line);) {
            EXPECT_LE(line.size(), 100U) << line;
            EXPECT_THAT(line, Not(HasSubstr("{false}")));
        }
    }
}

TEST_F(Usage, no_verb_lists_the_verbs) {
    const auto done = run({});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_EQ(done.err,
              "skiff: a verb is missing\n"
              "  hint: the verbs are exec, shell, import, info, check, stats, demo\n");
}

TEST_F(Usage, misspelled_verb_gets_a_suggestion) {
    const auto done = run({"imoprt", "a.db"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_EQ(done.err, "skiff: there is no verb 'imoprt'\n  hint: did you mean: skiff import\n");
}

TEST_F(Usage, wrong_command_lines_exit_with_2_and_point_to_the_help) {
    const std::vector<std::vector<std::string>> wrong = {
        {"exec"},
        {"exec", "a.db"},
        {"exec", "a.db", "select 1", "--jsn"},
        {"exec", "a.db", "select 1", "--json", "--csv"},
        {"exec", "a.db", "select 1", "--busy-timeout", "soon"},
        {"shell", "a.db", "--mode", "xml"},
        {"import", "a.db", "t"},
        {"import", "a.db", "t", "x.csv", "--batch", "0"},
        {"import", "a.db", "t", "x.csv", "--create", "--append"},
    };
    for (const auto& arguments : wrong) {
        const auto done = run(arguments);
        EXPECT_EQ(done.exit_code, 2) << done.err;
        EXPECT_THAT(done.err, HasSubstr("hint: type: skiff " + arguments[0] + " --help"));
    }
}

TEST_F(Usage, parameter_without_a_value_says_how_to_write_it) {
    const auto done = run({"exec", ":memory:", "select 1", "--param", "x"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_EQ(done.err, "skiff: 'x' is no parameter: write NAME=VALUE\n");
}

}  // namespace
}  // namespace skiff_test
