// Workers are copies of this program with the hidden verbs `work` and `compute`.
#include "harness/runner.hpp"

#include "harness/environment.hpp"
#include "harness/plan.hpp"
#include "harness/process.hpp"
#include "harness/progress.hpp"
#include "report/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace skiff_bench {

namespace {

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

/// One process after the other: opening, reading and closing, in milliseconds.
nlohmann::json time_starts(const planned_driver& driver,
                           const std::filesystem::path& folder,
                           double seconds) {
    const auto file = folder / "bench.db";
    child({"make", file.string()}).finish();
    using clock = std::chrono::steady_clock;
    const auto begun = clock::now();
    int starts = 0;
    while (std::chrono::duration<double>(clock::now() - begun).count() < seconds) {
        if (child({"once", driver.name, file.string()}, driver.program).finish() != 0) {
            throw std::runtime_error(driver.name + " could not open, read and close");
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

/// What a worker says: {"settings", "rows": [{"row", "metrics", "digest"}]}. Nothing after Ctrl-C,
/// which reaches workers as well.
nlohmann::json ask_worker(const work_unit& unit,
                          const planned_driver& driver,
                          const run_options& options) {
    const scratch_folder folder(options.folder);
    nlohmann::json answer;
    if (unit.name == start_row) {
        answer = time_starts(driver, folder.path(), options.seconds);
    } else {
        std::vector<std::string> order{"compute", driver.name};
        if (unit.suite == "throughput") {
            order = {"work",
                     unit.name,
                     driver.name,
                     folder.path().string(),
                     std::to_string(options.seconds),
                     std::to_string(options.sync_delay_us)};
        }
        child worker(order, driver.program);
        const auto text = worker.read_all();
        const int code = worker.finish();
        if (stop_asked != 0) return {};
        if (code != 0) {
            throw std::runtime_error(
                fmt::format("{} in '{}': the worker ended with {}", driver.name, unit.name, code));
        }
        answer = nlohmann::json::parse(text);
    }
    if (answer.contains("rows")) return answer;
    return {{"settings", answer.at("settings")},
            {"rows", {{{"row", unit.name}, {"metrics", answer.at("metrics")}}}}};
}

/// All drivers must answer alike; the first one's answer stands.
class answer_check {
  public:
    void look_at(const nlohmann::json& row, const std::string& driver) {
        if (!row.contains("digest")) return;
        const auto name = row.at("row").get<std::string>();
        const auto digest = row.at("digest").get<std::string>();
        const auto [first, is_new] = first_.try_emplace(name, driver, digest);
        if (is_new || first->second.second == digest) return;
        throw std::runtime_error(fmt::format("{} answers otherwise than {} in row '{}'", driver,
                                             first->second.first, name));
    }

  private:
    std::map<std::string, std::pair<std::string, std::string>> first_;
};

class run {
  public:
    run(const run_options& options, const run_plan& plan, sample_writer& output)
        : options_(options), plan_(plan), output_(output), shown_(steps()) {
        if (!options.resume || !std::filesystem::exists(options.output)) return;
        for (const auto& each : read_samples(options.output).samples) {
            done_.emplace(each.row, each.driver, each.round);
        }
    }

    /// False when Ctrl-C ended it.
    bool do_round(int round) {
        for (const auto& unit : plan_.units) {
            for (std::size_t at = 0; at < unit.drivers.size(); ++at) {
                const auto turn = (at + static_cast<std::size_t>(round)) % unit.drivers.size();
                const auto& driver = unit.drivers[turn];
                shown_.step(round, unit.name, driver.name);
                if (stop_asked != 0) return false;
                if (done_.contains({name_of(unit.rows.back()), driver.name, round})) continue;
                const auto answer = ask_worker(unit, driver, options_);
                if (stop_asked != 0) return false;
                keep(answer, unit, driver.name, round);
            }
        }
        return true;
    }

  private:
    [[nodiscard]] std::size_t steps() const {
        std::size_t all = 0;
        for (const auto& unit : plan_.units) all += unit.drivers.size();
        return all * static_cast<std::size_t>(options_.rounds);
    }
    [[nodiscard]] std::string name_of(const std::string& row) const {
        if (options_.sync_delay_us == 0) return row;
        return fmt::format("{}, sync {}us", row, options_.sync_delay_us);
    }
    void keep(const nlohmann::json& answer,
              const work_unit& unit,
              const std::string& driver,
              int round) {
        auto settings = answer.at("settings");
        for (const auto& row : answer.at("rows")) {
            answers_.look_at(row, driver);
            const auto name = row.at("row").get<std::string>();
            if (std::ranges::find(unit.rows, name) == unit.rows.end()) continue;
            for (const auto& each : row.at("metrics")) {
                output_.write({.suite = unit.suite,
                               .row = name_of(name),
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

    const run_options& options_;
    const run_plan& plan_;
    sample_writer& output_;
    std::set<std::tuple<std::string, std::string, int>> done_;
    answer_check answers_;
    progress_line shown_;
};

bool is_durable(const work_unit& unit) {
    return unit.name.find("FULL") != std::string::npos;
}

void check_output(const run_options& options) {
    if (options.resume || !std::filesystem::exists(options.output)) return;
    throw std::invalid_argument(options.output.string() +
                                " exists: name another file with --out, or add --resume");
}

void check_folder(const run_options& options, const run_plan& plan) {
    const bool proves_something = options.allow_tmpfs || !keeps_nothing(options.folder);
    if (proves_something || std::ranges::none_of(plan.units, is_durable)) return;
    throw std::invalid_argument(options.folder.string() +
                                " is in memory, where a sync means nothing: name a folder on "
                                "a disk with --dir, or add --allow-tmpfs");
}

}  // namespace

bool run_benchmarks(const run_options& options) {
    const auto plan = make_plan(options);
    check_output(options);
    check_folder(options, plan);
    for (const auto& note : plan.notes) fmt::print(stderr, "skiff-bench: {}\n", note);
    auto environment = look_at_environment(options.folder);
    if (options.quick) environment["quick"] = true;
    if (options.sync_delay_us > 0) environment["sync_delay_us"] = options.sync_delay_us;
    sample_writer output(options.output, environment);
    std::signal(SIGINT, ask_to_stop);
    run all(options, plan, output);
    for (int round = 0; round < options.rounds; ++round) {
        if (!all.do_round(round)) return false;
    }
    return true;
}

}  // namespace skiff_bench
