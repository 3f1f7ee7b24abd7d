// What the verbs of the skiff program share with main(): how a verb joins the command line, and how
// it hands over its work. One cmd_*.cpp implements each add_… function.
#pragma once

#include "exit_codes.hpp"

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace skiff_cli {

/// Filled while the command line is parsed; main() then calls `run` once. What it throws is
/// reported by main(): skiff::error, usage_error, interrupted_by_user and std::exception.
struct context {
    std::function<exit_code()> run;
};

/// The command line is wrong in a way that only the verb can see; exit code 2. The message says
/// what to type instead.
class usage_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Ctrl-C ended the work; exit code 130. The message, if any, says what state things are in.
class interrupted_by_user : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Each adds its subcommand to `app` and sets `shared.run` when that subcommand is the one given:
//
//     auto* verb = app.add_subcommand("info", "…");
//     auto options = std::make_shared<info_options>();
//     verb->add_option("FILE", options->file, "…")->required();
//     verb->callback([&shared, options] { shared.run = [options] { return run_info(*options); };
//     });
void add_exec(CLI::App& app, context& shared);
void add_shell(CLI::App& app, context& shared);
void add_import(CLI::App& app, context& shared);
void add_info(CLI::App& app, context& shared);
void add_check(CLI::App& app, context& shared);
void add_stats(CLI::App& app, context& shared);
void add_demo(CLI::App& app, context& shared);

}  // namespace skiff_cli
