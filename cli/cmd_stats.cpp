// `skiff stats`: who has a database open, what they hold, and what its log does. Looks from
// outside, without a connection.
#include "cli.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "stats/report.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace skiff_cli {

namespace {

struct stats_options {
    std::filesystem::path path;
    bool json = false;
    double watch_seconds = 0;  ///< 0: one look
};

constexpr const char* stats_footer =
    R"(Why a database is locked, and why its log grows: the file, the log with its read
marks, every process that has it open with the locks it holds, and a hint when
something is in the way. It looks from outside: no connection, no lock, no file
that was not there. Processes of other users can be looked at by root only.

Examples:
  skiff stats app.db
  sudo skiff stats app.db --watch 1
  skiff stats app.db --json
)";

/// False when Ctrl-C came first.
bool wait(const interrupt_scope& stop, double seconds) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock hold(mutex);
    wake.wait_for(hold, stop.token(), std::chrono::duration<double>(seconds), [] { return false; });
    return !stop.requested();
}

void print(const stats_options& options, const database_look& seen, const database_look* before) {
    output_file output;
    if (before != nullptr && !options.json) output.write("\n");
    output.write(options.json ? stats_json(seen, before) : stats_text(seen, before));
    output.flush();
}

exit_code run_stats(const stats_options& options) {
    const interrupt_scope stop;
    std::optional<database_look> before;
    do {
        auto seen = look_at_database(options.path);
        print(options, seen, before ? &*before : nullptr);
        before = std::move(seen);
    } while (options.watch_seconds > 0 && wait(stop, options.watch_seconds));
    stop.check();
    return exit_code::ok;
}

}  // namespace

void add_stats(CLI::App& app, context& shared) {
    auto options = std::make_shared<stats_options>();
    auto* verb = app.add_subcommand("stats", "Say who uses a database, and what its log does");
    verb->add_option("FILE", options->path, "the database file")->required()->type_name("");
    verb->add_flag("--json", options->json, "print one JSON object a look");
    verb->add_option("--watch", options->watch_seconds, "look again and again until Ctrl-C")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.01, 86400.0).description(""));
    verb->footer(stats_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_stats(*options); }; });
}

}  // namespace skiff_cli
