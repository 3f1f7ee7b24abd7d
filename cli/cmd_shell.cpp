// `skiff shell`: an interactive session at a terminal, or a script from a pipe.
#include "cli.hpp"
#include "import/byte_source.hpp"
#include "open_file.hpp"
#include "shell/shell.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace skiff_cli {

namespace {

struct shell_options {
    file_options file;
    std::string mode;
    bool read_only = false;
    bool keep_going = false;
};

constexpr const char* shell_footer =
    R"(A statement may span lines and ends with a semicolon. Ctrl-C stops the running
statement, or drops the one being typed; Ctrl-D leaves. Tab completes names and
keywords. Commands start with a dot: .help lists them.

The history is kept in $SKIFF_HISTORY, or in skiff/history below $XDG_STATE_HOME
or ~/.local/state.

When standard input is no terminal it is run as a script: rows are printed as
CSV unless --mode says otherwise, and the first error ends it, with the exit
code of that error; with --continue it goes on and ends with 1 or that code.

Examples:
  skiff shell app.db
  skiff shell app.db --mode json < report.sql
  echo '.schema user' | skiff shell app.db
)";

exit_code run_shell(const shell_options& options) {
    auto db = open_file(options.file,
                        options.read_only ? skiff::open_mode::read_only : skiff::open_mode::create);
    const bool typed = is_terminal(stream::input) && is_terminal(stream::output);
    shell_settings settings;
    settings.format = format_called(options.mode).value_or(default_format());
    settings.keep_going = options.keep_going;
    shell session(db, settings);
    if (typed) return session.talk();
    const auto source = open_source("-");
    return session.run_script(*source, "");
}

}  // namespace

void add_shell(CLI::App& app, context& shared) {
    auto options = std::make_shared<shell_options>();
    auto* verb = app.add_subcommand("shell", "Type SQL, or run a script from a pipe");
    add_file_options(*verb, options->file);
    verb->add_option("--mode", options->mode, "how rows are printed: table, csv, json or line")
        ->type_name("MODE")
        ->check(CLI::IsMember({"table", "csv", "json", "line"}).description(""));
    verb->add_flag("--continue", options->keep_going, "go on after an error in a script");
    verb->add_flag("--read-only", options->read_only, "refuse to change the file or to make it");
    verb->footer(shell_footer);
    verb->callback([&shared, options] { shared.run = [options] { return run_shell(*options); }; });
}

}  // namespace skiff_cli
