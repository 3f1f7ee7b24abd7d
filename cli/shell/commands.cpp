// One table of commands: what .help prints and what runs come from the same lines.
#include "shell/commands.hpp"

#include "cli.hpp"
#include "help.hpp"
#include "output.hpp"
#include "run_sql.hpp"
#include "shell/shell.hpp"
#include "signals.hpp"

#include <skiff/mapping/text.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>

namespace skiff_cli {

/// The commands see the inside of the session.
struct shell_commands {
    using words = shell::words;

    static void tables(shell& session, const words& arguments);
    static void schema(shell& session, const words& arguments);
    static void indexes(shell& session, const words& arguments);
    static void mode(shell& session, const words& arguments);
    static void timer(shell& session, const words& arguments);
    static void output(shell& session, const words& arguments);
    static void read(shell& session, const words& arguments);
    static void help(shell& session, const words& arguments);
    static void quit(shell& session, const words& arguments);

    static void print_texts(shell& session, std::string_view sql, const std::string& argument);
};

namespace {

struct command {
    std::string_view name;
    std::string_view arguments;
    std::size_t arguments_min;
    std::size_t arguments_max;
    std::string_view help;
    void (*run)(shell&, const std::vector<std::string>&);
};

constexpr std::array<command, 9> commands = {{
    {".tables", "[LIKE]", 0, 1, "tables and views, those whose name is LIKE the pattern",
     &shell_commands::tables},
    {".schema", "[NAME]", 0, 1, "the SQL that made everything, or one table and what is on it",
     &shell_commands::schema},
    {".indexes", "[TABLE]", 0, 1, "indexes, those of one table", &shell_commands::indexes},
    {".mode", "[table|csv|json|line]", 0, 1, "how rows are printed", &shell_commands::mode},
    {".timer", "[on|off]", 0, 1, "print how long each statement took", &shell_commands::timer},
    {".output", "[FILE]", 0, 1, "print to a file; without one, here again",
     &shell_commands::output},
    {".read", "FILE", 1, 1, "run a script", &shell_commands::read},
    {".help", "", 0, 0, "this list", &shell_commands::help},
    {".quit", "", 0, 0, "leave, as Ctrl-D does", &shell_commands::quit},
}};

/// Words between blanks; '…' and "…" hold a word with blanks together.
std::vector<std::string> split_words(std::string_view line) {
    std::vector<std::string> found;
    for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
         at = line.find_first_not_of(" \t", at)) {
        if (line[at] == '\'' || line[at] == '"') {
            const std::size_t end = line.find(line[at], at + 1);
            if (end == std::string_view::npos) throw usage_error("a quote is not closed");
            found.emplace_back(line.substr(at + 1, end - at - 1));
            at = end + 1;
        } else {
            const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
            found.emplace_back(line.substr(at, end - at));
            at = end;
        }
    }
    return found;
}

const command& command_called(const std::string& name) {
    for (const auto& each : commands) {
        if (each.name == name) return each;
    }
    const std::string meant = closest(name, shell_command_names());
    throw usage_error(meant.empty()
                          ? fmt::format("there is no command {}; .help lists them", name)
                          : fmt::format("there is no command {}; did you mean {}?", name, meant));
}

}  // namespace

void run_shell_command(shell& session, std::string_view line) {
    auto words = split_words(line);
    const command& found = command_called(words.front());
    words.erase(words.begin());
    if (words.size() < found.arguments_min || words.size() > found.arguments_max) {
        throw usage_error(fmt::format("type: {}{}{}", found.name,
                                      found.arguments.empty() ? "" : " ", found.arguments));
    }
    found.run(session, words);
}

std::vector<std::string> shell_command_names() {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const auto& each : commands) names.emplace_back(each.name);
    return names;
}

void shell_commands::print_texts(shell& session,
                                 std::string_view sql,
                                 const std::string& argument) {
    const interrupt_scope stop(session.db_);
    for (const auto text : session.db_.rows<std::string_view>(sql, argument)) {
        session.output_.write(text);
        session.output_.write("\n");
    }
    session.output_.flush();
}

void shell_commands::tables(shell& session, const words& arguments) {
    print_texts(session,
                "select name from sqlite_schema where type in ('table', 'view')"
                " and name not like 'sqlite!_%' escape '!' and name like ? order by name",
                arguments.empty() ? "%" : arguments[0]);
}

void shell_commands::schema(shell& session, const words& arguments) {
    if (arguments.empty()) {
        print_texts(session,
                    "select sql || ';' from sqlite_schema"
                    " where sql is not null and name not like ? escape '!' order by rowid",
                    "sqlite!_%");
        return;
    }
    const auto known = session.db_.one<int>(
        "select count(*) from sqlite_schema where lower(name) = lower(?1)", arguments[0]);
    if (known == 0) throw usage_error(fmt::format("there is no table or index {}", arguments[0]));
    print_texts(session,
                "select sql || ';' from sqlite_schema where sql is not null"
                " and lower(?1) in (lower(name), lower(tbl_name)) order by rowid",
                arguments[0]);
}

void shell_commands::indexes(shell& session, const words& arguments) {
    print_texts(session,
                "select name from sqlite_schema where type = 'index' and tbl_name like ?"
                " order by name",
                arguments.empty() ? "%" : arguments[0]);
}

void shell_commands::mode(shell& session, const words& arguments) {
    if (arguments.empty()) {
        session.output_.write(fmt::format("{}\n", name_of(session.settings_.format)));
        session.output_.flush();
        return;
    }
    const auto format = format_called(arguments[0]);
    if (!format) {
        throw usage_error(
            fmt::format("there is no mode {}; type: .mode table|csv|json|line", arguments[0]));
    }
    session.set_format(*format);
}

void shell_commands::timer(shell& session, const words& arguments) {
    if (arguments.empty()) {
        session.output_.write(session.timer_ ? "on\n" : "off\n");
        session.output_.flush();
    } else if (arguments[0] == "on" || arguments[0] == "off") {
        session.timer_ = arguments[0] == "on";
    } else {
        throw usage_error("type: .timer on or .timer off");
    }
}

void shell_commands::output(shell& session, const words& arguments) {
    auto target = arguments.empty() ? output_file() : output_file(arguments[0]);
    session.output_.close();
    session.output_ = std::move(target);
    session.set_format(session.settings_.format);
}

void shell_commands::read(shell& session, const words& arguments) {
    if (session.depth_ == shell::read_depth_max) {
        throw usage_error(
            fmt::format("scripts read scripts more than {} deep", shell::read_depth_max));
    }
    const auto source = open_source(arguments[0]);
    ++session.depth_;
    session.inner_script_failed_ = !session.run_lines(*source, arguments[0]);
    --session.depth_;
}

void shell_commands::help(shell& session, const words&) {
    for (const auto& each : commands) {
        session.output_.write(
            fmt::format("{:<29} {}\n", fmt::format("{} {}", each.name, each.arguments), each.help));
    }
    session.output_.flush();
}

void shell_commands::quit(shell& session, const words&) {
    session.quit_ = true;
}

}  // namespace skiff_cli
