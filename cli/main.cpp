// The skiff program: one verb, its options, and what went wrong if anything did.
#include "cli.hpp"
#include "help.hpp"
#include "report.hpp"
#include "signals.hpp"

#include <skiff/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <exception>
#include <langinfo.h>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

namespace {

constexpr const char* footer = R"(Each verb has its own help with examples: skiff exec --help

Exit codes:
    0  done
    1  the work failed: an SQL or data error, rejected rows
    2  the command line is wrong
    3  the file cannot be opened or is not a database
    4  skiff check found damage
    5  a lock was not had in time
  130  interrupted by Ctrl-C
)";

/// Output is UTF-8 whatever the system's settings: that is what SQLite stores.
void set_locale() {
    std::setlocale(LC_CTYPE, "");
    if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::vector<std::string> verb_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(verb->get_name());
    }
    return names;
}

/// No verb was understood: says which one was probably meant.
exit_code report_no_verb(const CLI::App& app, std::string_view word) {
    const auto names = verb_names(app);
    const std::string list = fmt::format("the verbs are {}", fmt::join(names, ", "));
    if (word.empty() || word.starts_with('-')) {
        report_line("a verb is missing", list);
        return exit_code::usage;
    }
    const std::string meant = closest(word, names);
    report_line(fmt::format("there is no verb '{}'", word),
                meant.empty() ? list : fmt::format("did you mean: skiff {}", meant));
    return exit_code::usage;
}

exit_code report_usage(const CLI::App& app, const CLI::ParseError& wrong, std::string_view word) {
    const auto given = app.get_subcommands();
    if (given.empty()) return report_no_verb(app, word);
    // CLI11's messages may span lines; the first one says it all.
    std::string message = wrong.what();
    message.resize(std::min(message.find('\n'), message.size()));
    report_line(message, fmt::format("type: skiff {} --help", given.front()->get_name()));
    return exit_code::usage;
}

exit_code run(int count, char** arguments) {
    context shared;
    CLI::App app("SQLite databases from the command line: query, edit, import, check.", "skiff");
    app.set_version_flag("--version", fmt::format("skiff {} (SQLite {})", skiff::library_version(),
                                                  skiff::sqlite_version()));
    app.require_subcommand(1);
    app.footer(footer);
    add_exec(app, shared);
    add_shell(app, shared);
    add_import(app, shared);
    add_info(app, shared);
    add_check(app, shared);
    add_stats(app, shared);
    add_demo(app, shared);
    set_help_style(app);
    try {
        app.parse(count, arguments);
    } catch (const CLI::Success& help) {
        app.exit(help);
        return exit_code::ok;
    } catch (const CLI::ParseError& wrong) {
        return report_usage(app, wrong, count > 1 ? arguments[1] : "");
    }
    try {
        return shared.run();
    } catch (...) {
        return report(std::current_exception());
    }
}

}  // namespace
}  // namespace skiff_cli

int main(int count, char** arguments) {
    skiff_cli::set_locale();
    skiff_cli::watch_interrupts();
    return static_cast<int>(skiff_cli::run(count, arguments));
}
