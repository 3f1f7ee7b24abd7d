// Workers are this program with the hidden verb `work`.
#include "harness/runner.hpp"

#include "harness/environment.hpp"
#include "harness/process.hpp"
#include "report/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fnmatch.h>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unistd.h>

namespace skiff_bench {

namespace {

constexpr const char* start_row = "open, read one row, close, in a fresh process";

volatile std::sig_atomic_t stop_asked = 0;

void ask_to_stop(int) {
    stop_asked = 1;
}

/// A folder for one worker, gone with all that is in it.
class scratch_folder {
  public:
    explicit scratch_folder(const std::filesystem::path& beside) {
        std::string name = (beside / "skiff-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error(beside.string() + ": a folder for databases cannot be made");
        }
        path_ = name;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& each) {
        return ::fnmatch(each.c_str(), name.c_str(), 0) == 0;
    });
}

std::vector<std::string> chosen_rows(const run_options& options) {
    std::vector<std::string> names;
    for (const auto& row : throughput_rows()) {
        if (options.rows.empty() ? row.is_main : matches(row.name, options.rows)) {
            names.push_back(row.name);
        }
    }
    if (options.rows.empty() || matches(start_row, options.rows)) names.emplace_back(start_row);
    if (names.empty()) throw std::invalid_argument("no row has such a name: skiff-bench list");
    return names;
}

std::vector<std::string> chosen_drivers(const run_options& options) {
    for (const auto& name : options.drivers) {
        if (find_driver(name) == nullptr) {
            throw std::invalid_argument("there is no driver '" + name + "': skiff-bench list");
        }
    }
    std::vector<std::string> names;
    for (const auto& each : all_drivers()) {
        const auto& wanted = options.drivers;
        const bool named = std::ranges::find(wanted, each.name) != wanted.end();
        if (wanted.empty() || named) names.push_back(each.name);
    }
    return names;
}

/// The limit opens nothing, and takes no part in a file that two processes write.
bool leaves_out(const std::string& driver, const std::string& row) {
    if (driver != "limit") return false;
    const auto* found = find_row(row);
    return found == nullptr || found->beside == neighbour::busy;
}

bool is_durable(const std::string& row) {
    return row.find("FULL") != std::string::npos;
}

/// One figure of one process after the other: opening, reading and closing, in milliseconds.
nlohmann::json time_starts(const std::string& driver,
                           const std::filesystem::path& folder,
                           double seconds) {
    const auto file = folder / "bench.db";
    child({"make", file.string()}).finish();
    using clock = std::chrono::steady_clock;
    const auto begun = clock::now();
    int starts = 0;
    while (std::chrono::duration<double>(clock::now() - begun).count() < seconds) {
        if (child({"once", driver, file.string()}).finish() != 0) {
            throw std::runtime_error(driver + " could not open, read and close");
        }
        ++starts;
    }
    const std::chrono::duration<double, std::milli> took = clock::now() - begun;
    return {{"settings", nlohmann::json::object()},
            {"metrics",
             {{{"metric", "start"},
               {"unit", "ms"},
               {"better", "lower"},
               {"value", took.count() / starts}}}}};
}

nlohmann::json ask_worker(const std::string& row,
                          const std::string& driver,
                          const run_options& options) {
    const scratch_folder folder(options.folder);
    if (row == start_row) return time_starts(driver, folder.path(), options.seconds);
    child worker({"work", row, driver, folder.path().string(), std::to_string(options.seconds),
                  std::to_string(options.sync_delay_us)});
    const auto answer = worker.read_all();
    const int code = worker.finish();
    if (stop_asked != 0) return {};  // Ctrl-C reaches workers as well
    if (code != 0) {
        throw std::runtime_error(
            fmt::format("{} in row '{}': the worker ended with {}", driver, row, code));
    }
    return nlohmann::json::parse(answer);
}

class progress_line {
  public:
    explicit progress_line(std::size_t total)
        : total_(total), shown_(::isatty(STDERR_FILENO) == 1) {}
    ~progress_line() {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    void step(int round, const std::string& row, const std::string& driver) {
        const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begun_;
        const double left = done_ == 0 ? 0
                                       : gone.count() / static_cast<double>(done_) *
                                             static_cast<double>(total_ - done_);
        if (shown_) {
            fmt::print(stderr, "\r\033[Kround {}, {}/{}, {:.0f} s left: {} · {}", round + 1,
                       done_ + 1, total_, left, row, driver);
        }
        ++done_;
    }

  private:
    std::size_t total_;
    bool shown_;
    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

using finished = std::set<std::tuple<std::string, std::string, int>>;

finished already_done(const run_options& options) {
    finished done;
    if (!options.resume || !std::filesystem::exists(options.output)) return done;
    for (const auto& each : read_samples(options.output).samples) {
        done.emplace(each.row, each.driver, each.round);
    }
    return done;
}

void check_output(const run_options& options) {
    if (options.resume || !std::filesystem::exists(options.output)) return;
    throw std::invalid_argument(options.output.string() +
                                " exists: name another file with --out, or add --resume");
}

}  // namespace

bool run_benchmarks(const run_options& options) {
    const auto rows = chosen_rows(options);
    const auto drivers = chosen_drivers(options);
    check_output(options);
    const bool in_memory = keeps_nothing(options.folder);
    if (in_memory && !options.allow_tmpfs && std::ranges::any_of(rows, is_durable)) {
        throw std::invalid_argument(options.folder.string() +
                                    " is in memory, where a sync means nothing: name a folder on "
                                    "a disk with --dir, or add --allow-tmpfs");
    }
    const auto done = already_done(options);
    auto environment = look_at_environment(options.folder);
    if (options.quick) environment["quick"] = true;
    if (options.sync_delay_us > 0) environment["sync_delay_us"] = options.sync_delay_us;
    sample_writer output(options.output, environment);
    std::signal(SIGINT, ask_to_stop);
    progress_line shown(rows.size() * drivers.size() * static_cast<std::size_t>(options.rounds));
    for (int round = 0; round < options.rounds; ++round) {
        for (const auto& row : rows) {
            for (std::size_t at = 0; at < drivers.size(); ++at) {
                const auto turn = (at + static_cast<std::size_t>(round)) % drivers.size();
                const auto& driver = drivers[turn];
                shown.step(round, row, driver);
                if (stop_asked != 0) return false;
                if (done.contains({row, driver, round}) || leaves_out(driver, row)) continue;
                const auto answer = ask_worker(row, driver, options);
                if (stop_asked != 0) return false;
                auto name = row;
                if (options.sync_delay_us > 0) {
                    name += fmt::format(", sync {}us", options.sync_delay_us);
                }
                auto settings = answer.at("settings");
                for (const auto& each : answer.at("metrics")) {
                    output.write({.suite = "throughput",
                                  .row = name,
                                  .driver = driver,
                                  .metric = each.at("metric"),
                                  .unit = each.at("unit"),
                                  .higher_is_better = each.at("better") == "higher",
                                  .value = each.at("value"),
                                  .round = round},
                                 settings);
                    settings = nlohmann::json::object();  // once for all figures of a run
                }
            }
        }
    }
    return true;
}

}  // namespace skiff_bench
