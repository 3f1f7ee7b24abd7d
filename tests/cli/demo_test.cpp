// `skiff demo` as a user runs it, on the sample of packages that comes with Skiff.
#include <skiff/connection.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// The sample, found from the program: somewhere above build/<preset>/bin.
fs::path sample() {
    for (fs::path folder = fs::path(SKIFF_CLI_PATH).parent_path();; folder = folder.parent_path()) {
        auto candidate = folder / "examples/data/packages-sample.control";
        if (fs::exists(candidate) || folder == folder.root_path()) return candidate;
    }
}

struct finished {
    int exit_code = -1;
    std::string output;
};

/// Starts the program with its standard output in a pipe.
class running_program {
  public:
    explicit running_program(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), SKIFF_CLI_PATH);
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            std::vector<char*> pointers;
            for (auto& argument : arguments) pointers.push_back(argument.data());
            pointers.push_back(nullptr);
            ::execv(SKIFF_CLI_PATH, pointers.data());
            std::_Exit(127);
        }
        ::close(ends[1]);
        output_ = ::fdopen(ends[0], "r");
    }
    ~running_program() { std::fclose(output_); }
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;

    std::string read_line() {
        std::array<char, 4096> line{};
        return std::fgets(line.data(), line.size(), output_) != nullptr ? line.data() : "";
    }
    /// Reads up to a line that contains `text`; false when the output ends before.
    bool read_past(const std::string& text) {
        std::string line = read_line();
        while (!line.empty() && line.find(text) == std::string::npos) line = read_line();
        return !line.empty();
    }
    void interrupt() const { ::kill(child_, SIGINT); }
    finished wait() {
        finished result;
        for (std::string line = read_line(); !line.empty(); line = read_line()) {
            result.output += line;
        }
        int status = 0;
        ::waitpid(child_, &status, 0);
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return result;
    }

  private:
    pid_t child_ = -1;
    std::FILE* output_ = nullptr;
};

class Demo : public testing::Test {
  protected:
    Demo() {
        std::string name = (fs::temp_directory_path() / "skiff-demo-test-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~Demo() override { fs::remove_all(folder_); }

    [[nodiscard]] fs::path database() const { return folder_ / "demo.db"; }
    [[nodiscard]] std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }
    /// The arguments of a short run on the sample, and some more.
    [[nodiscard]] std::vector<std::string> quick(std::vector<std::string> more = {}) const {
        std::vector<std::string> all = {"demo",    "--quick",        "--writers",
                                        "16",      "--db",           database().string(),
                                        "--input", sample().string()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    fs::path folder_;
};

TEST_F(Demo, QuickRunOnTheSample_FillsTheTablesAndPrintsJson) {
    const auto done = running_program(quick({"--json"})).wait();

    ASSERT_EQ(done.exit_code, 0) << done.output;
    const auto report = nlohmann::json::parse(done.output);
    const auto packages = report["import"]["packages"].get<std::int64_t>();
    EXPECT_GT(packages, 2000);
    EXPECT_EQ(report["questions"].size(), 5U);
    for (const auto& question : report["questions"]) {
        EXPECT_FALSE(question["rows"].empty()) << question["title"];
    }
    ASSERT_EQ(report["measures"].size(), 4U);
    for (const auto& row : report["measures"]) {
        EXPECT_EQ(row["plain_c"]["rounds"].size(), 5U);
        EXPECT_EQ(row["skiff"]["rounds"].size(), 5U);
        EXPECT_GT(row["ratio"]["median"].get<double>(), 0) << row["name"];
    }

    EXPECT_EQ(files(), std::set<std::string>{"demo.db"});
    auto db = skiff::connection::open(database());
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from package"), packages);
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from description"), packages);
    EXPECT_EQ(db.one<std::int64_t>("select count(*) from dependency"),
              report["import"]["dependencies"].get<std::int64_t>());
    EXPECT_EQ(db.one<std::string>("pragma integrity_check"), "ok");
    EXPECT_TRUE(db.all<std::int64_t>("select rowid from pragma_foreign_key_check").empty());
}

TEST_F(Demo, SecondRun_SaysThatItReplacesTheFile) {
    ASSERT_EQ(running_program(quick()).wait().exit_code, 0);

    const auto again = running_program(quick()).wait();

    EXPECT_EQ(again.exit_code, 0);
    EXPECT_NE(again.output.find("will be replaced"), std::string::npos) << again.output;
    EXPECT_NE(again.output.find("insert one durable row, 16 threads"), std::string::npos);
    EXPECT_NE(again.output.find("shell " + database().string()), std::string::npos);
}

TEST_F(Demo, FileOfSomebodyElse_IsLeftAlone) {
    skiff::connection::open(database()).exec("create table mine(x)");

    const auto refused = running_program(quick()).wait();

    EXPECT_EQ(refused.exit_code, 2);
    auto db = skiff::connection::open(database());
    EXPECT_EQ(db.one<std::string>("select name from sqlite_schema"), "mine");
}

TEST_F(Demo, InputThatIsNoIndex_FailsAndLeavesNothing) {
    std::ofstream(folder_ / "noise") << "this is\nno index\n\n";

    const auto failed = running_program({"demo", "--quick", "--db", database().string(), "--input",
                                         (folder_ / "noise").string()})
                            .wait();

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_EQ(files(), std::set<std::string>{"noise"});
}

TEST_F(Demo, MissingInput_FailsAndLeavesNothing) {
    const auto failed =
        running_program({"demo", "--db", database().string(), "--input", "/does/not/exist"}).wait();

    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_TRUE(files().empty());
}

TEST_F(Demo, FolderThatIsNotThere_CannotBeOpened) {
    const auto failed = running_program({"demo", "--db", (folder_ / "no/demo.db").string(),
                                         "--input", sample().string()})
                            .wait();

    EXPECT_EQ(failed.exit_code, 3);
}

TEST_F(Demo, Interrupt_ExitsWith130AndLeavesNoHalfFile) {
    running_program demo(
        {"demo", "--seconds", "60", "--db", database().string(), "--input", sample().string()});
    // The first line comes before the import, the last question before the measuring.
    ASSERT_TRUE(demo.read_past("Input:"));
    demo.interrupt();
    EXPECT_EQ(demo.wait().exit_code, 130);
    for (const auto& name : files()) EXPECT_EQ(name, "demo.db");

    running_program later(
        {"demo", "--seconds", "60", "--db", database().string(), "--input", sample().string()});
    ASSERT_TRUE(later.read_past("Packages by section"));
    later.interrupt();
    EXPECT_EQ(later.wait().exit_code, 130);
    EXPECT_EQ(files(), std::set<std::string>{"demo.db"});
}

}  // namespace
