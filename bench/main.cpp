// skiff-bench: measures Skiff beside what people use, and shows the figures.
#include "drivers/c_api.hpp"
#include "harness/engine_worker.hpp"
#include "harness/neighbour.hpp"
#include "harness/plan.hpp"
#include "harness/process.hpp"
#include "harness/programs.hpp"
#include "harness/runner.hpp"
#include "harness/sync_delay.hpp"
#include "harness/worker.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "workloads/engine.hpp"

#include <skiff/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace skiff_bench {

namespace {

constexpr int failed = 1;
constexpr int wrong_usage = 2;
constexpr int interrupted = 130;

constexpr const char* footer = R"(Each verb has its own help: skiff-bench run --help

Exit codes: 0 done, 1 a driver failed or answered wrongly, 2 the command line is
wrong, 130 stopped by Ctrl-C (what was measured is kept; --resume goes on).
)";

constexpr const char* run_footer =
    R"(Every driver runs in every row once a round, in a fresh process on a fresh file,
each round beginning with the next driver, so that what the machine does
meanwhile hits all alike. Answers are checked before and after, and the settings
of each driver are read back and compared. The samples are lines of JSON.

A row is named by a pattern as of a shell; without one the main rows run.

Examples:
  skiff-bench run --quick
  skiff-bench run --row '64 threads*FULL*' --driver c,skiff-database --rounds 10
  skiff-bench run --row '*' --out all.jsonl
  skiff-bench run --suite engine --driver c,skiff --rounds 10
  skiff-bench table bench.jsonl
)";

constexpr double quick_seconds = 0.3;
constexpr int quick_rounds = 2;

/// A driver whose program is not there is marked.
template <class Entries>
void list_drivers(const char* suite, const Entries& entries) {
    fmt::print("drivers of suite {}\n", suite);
    for (const auto& each : entries) {
        const bool is_there = program_with(each.engine).has_value();
        fmt::print("{} {:<18} {}\n", is_there ? ' ' : '-', each.name, each.what);
    }
}

void list() {
    list_drivers("throughput", all_drivers());
    fmt::print("\n");
    list_drivers("engine", engine_drivers());
    fmt::print("- its program was not built; type: tools/bench list\n");
    fmt::print("\nrows of suite engine\n");
    for (const auto& each : engine_jobs()) fmt::print("  {}\n", each.name);
    fmt::print("\nrows of suite throughput (* without --row)\n");
    for (const auto& each : throughput_rows()) {
        fmt::print("{} {}\n", each.is_main ? '*' : ' ', each.name);
    }
    fmt::print("* {}\n", start_row);
}

int work(const std::vector<std::string>& words) {
    const auto* row = find_row(words.at(0));
    const auto* driver = find_driver(words.at(1));
    if (row == nullptr || driver == nullptr) return wrong_usage;
    set_sync_delay(std::chrono::microseconds(std::stol(words.at(4))));
    const auto answer = run_worker({row, driver, words.at(2), std::stod(words.at(3))});
    fmt::print("{}\n", answer.dump());
    return 0;
}

int compute(const std::string& name) {
    const auto* driver = find_engine_driver(name);
    if (driver == nullptr) return wrong_usage;
    fmt::print("{}\n", run_engine_jobs(*driver).dump());
    return 0;
}

int repeat(const std::vector<std::string>& words) {
    const auto* driver = find_driver(words.at(1));
    if (driver == nullptr) return wrong_usage;
    const int times = std::stoi(words.at(3));
    return repeat_operation(words.at(0), *driver, words.at(2), times) ? 0 : wrong_usage;
}

int neighbour_of(const std::vector<std::string>& words) {
    const auto* row = find_row(words.at(0));
    return row == nullptr ? wrong_usage : run_neighbour(*row, words.at(1));
}

/// A file with one row, for processes that open it and read that.
int make(const std::filesystem::path& file) {
    c_connection db({file}, "unix", 0);
    db.run("create table kv(id integer primary key, v text)");
    db.run("insert into kv values (1, '" + value_of(1) + "')");
    return 0;
}

/// What this program tells its own processes to do.
int run_hidden(const std::vector<std::string>& words) {
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (words[0] == "work") return work(rest);
    if (words[0] == "compute") return compute(rest.at(0));
    if (words[0] == "repeat") return repeat(rest);
    if (words[0] == "neighbour") return neighbour_of(rest);
    if (words[0] == "make") return make(rest.at(0));
    return run_once(rest.at(0), rest.at(1));
}

struct table_command {
    std::vector<std::string> files;
    table_options options;
    bool all_metrics = false;
    bool json = false;
    bool csv = false;
};

void show_table(const table_command& given) {
    std::vector<sample_file> files;
    for (const auto& each : given.files) files.push_back(read_samples(each));
    auto options = given.options;
    options.rates_only = !given.all_metrics;
    const auto table = make_table(files, options);
    fmt::print("{}", given.json ? as_json(table) : given.csv ? as_csv(table) : as_markdown(table));
}

struct docs_command {
    std::filesystem::path page = "docs/benchmarks.md";
    std::filesystem::path results = "bench/results";
    bool check = false;
};

int write_docs(const docs_command& given) {
    std::ostringstream text;
    text << std::ifstream(given.page).rdbuf();
    const auto made = with_tables(text.str(), given.results);
    if (made == text.str()) return 0;
    if (given.check) {
        fmt::print(stderr, "{} is not what {} says; type: tools/bench docs\n", given.page.string(),
                   given.results.string());
        return failed;
    }
    std::ofstream file(given.page);
    file << made << std::flush;
    if (!file) throw std::runtime_error(given.page.string() + " cannot be written");
    return 0;
}

void add_docs(CLI::App& app, docs_command& given) {
    auto* verb = app.add_subcommand("docs", "Write the tables of a page from committed samples");
    verb->add_option("PAGE", given.page, "with markers")->capture_default_str();
    verb->add_option("--results", given.results, "folder of sample files")->capture_default_str();
    verb->add_flag("--check", given.check, "only say whether it is up to date");
}

void add_run(CLI::App& app, run_options& options, std::string& delay) {
    auto* verb = app.add_subcommand("run", "Measure, and write samples");
    verb->add_option("--suite", options.suites, "throughput (also without this), engine")
        ->delimiter(',');
    verb->add_option("--row", options.rows, "rows whose name matches this pattern")->delimiter('|');
    verb->add_option("--driver", options.drivers, "drivers by name, with commas")->delimiter(',');
    verb->add_option("--rounds", options.rounds, "times that each driver runs in each row")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    verb->add_option("--seconds", options.seconds, "of each run")
        ->check(CLI::Range(0.01, 3600.0))
        ->capture_default_str();
    verb->add_flag("--quick", options.quick, "a look within minutes: short runs, two rounds");
    verb->add_option("--dir", options.folder, "folder for databases, on the disk to be measured")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    verb->add_option("--out", options.output, "file for samples")->capture_default_str();
    verb->add_flag("--resume", options.resume, "continue that file");
    verb->add_flag("--allow-tmpfs", options.allow_tmpfs, "durable rows in memory, too");
    verb->add_option("--sync-delay", delay, "added to each sync, as 100us or 3ms");
    verb->footer(run_footer);
}

void add_table(CLI::App& app, table_command& given) {
    auto* verb = app.add_subcommand("table", "Show samples: medians, intervals, ratios");
    verb->add_option("FILE", given.files, "sample files of `run`")->required();
    verb->add_option("--base", given.options.base, "driver that ratios are to")
        ->capture_default_str();
    verb->add_flag("--all", given.all_metrics, "latencies, too");
    auto* json = verb->add_flag("--json", given.json, "print JSON");
    verb->add_flag("--csv", given.csv, "print CSV")->excludes(json);
}

int run(int count, char** arguments) {
    CLI::App app("Measures Skiff beside plain SQLite, with answers checked.", "skiff-bench");
    app.set_version_flag("--version", skiff::library_version());
    app.require_subcommand(1);
    app.footer(footer);
    run_options options;
    std::string delay;
    table_command table;
    app.add_subcommand("list", "Name the drivers and rows");
    add_run(app, options, delay);
    add_table(app, table);
    docs_command docs;
    add_docs(app, docs);
    try {
        app.parse(count, arguments);
        if (!delay.empty()) options.sync_delay_us = parse_delay(delay).count();
    } catch (const CLI::ParseError& wrong) {
        return app.exit(wrong) == 0 ? 0 : wrong_usage;
    }
    if (app.got_subcommand("list")) {
        list();
    } else if (app.got_subcommand("docs")) {
        return write_docs(docs);
    } else if (app.got_subcommand("table")) {
        show_table(table);
    } else {
        if (options.quick) {
            options.rounds = quick_rounds;
            options.seconds = quick_seconds;
        }
        if (!run_benchmarks(options)) return interrupted;
        fmt::print("{}", as_markdown(make_table({read_samples(options.output)}, {})));
    }
    return 0;
}

bool is_hidden(const std::string& word) {
    return word == "work" || word == "compute" || word == "repeat" || word == "neighbour" ||
           word == "make" || word == "once";
}

}  // namespace

}  // namespace skiff_bench

int main(int count, char** arguments) {
    try {
        const std::vector<std::string> words(arguments + 1, arguments + count);
        if (!words.empty() && skiff_bench::is_hidden(words[0])) {
            return skiff_bench::run_hidden(words);
        }
        return skiff_bench::run(count, arguments);
    } catch (const std::invalid_argument& wrong) {
        fmt::print(stderr, "skiff-bench: {}\n", wrong.what());
        return skiff_bench::wrong_usage;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "skiff-bench: {}\n", failure.what());
        return skiff_bench::failed;
    }
}
