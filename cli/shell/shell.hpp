// The shell: statements and dot commands, typed at a terminal or read from a script, run one after
// the other on one connection.
#pragma once

#include "exit_codes.hpp"
#include "import/byte_source.hpp"
#include "output.hpp"
#include "run_sql.hpp"
#include "sql_splitter.hpp"

#include <skiff/connection.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// How the shell was started.
struct shell_settings {
    output_format format = output_format::table;
    bool keep_going = false;  ///< an error does not end a script
};

/// One session. Main thread only.
class shell {
  public:
    static constexpr int read_depth_max = 16;  ///< scripts that read scripts

    shell(skiff::connection& db, const shell_settings& settings);

    /// Talks to the terminal until .quit or Ctrl-D.
    exit_code talk();
    /// Runs a script to its end or to its first error.
    exit_code run_script(byte_source& source, std::string_view name);

  private:
    friend struct shell_commands;
    using words = std::vector<std::string>;

    /// Runs a script; false when it stopped at an error.
    bool run_lines(byte_source& source, std::string_view name);
    /// Takes one line without its end; runs what it completes. False when the script must stop.
    bool take_line(std::string_view line, sql_splitter& statements);
    bool run_command(std::string_view line);
    bool run_statement(const script_statement& statement);
    bool run_rest(sql_splitter& statements);
    void set_format(output_format format);
    /// Reports it; false when the script must stop.
    bool goes_on_after(const std::exception_ptr& failure, int line);
    [[nodiscard]] std::string prompt(const sql_splitter& statements) const;
    [[nodiscard]] std::vector<std::string> completions();

    skiff::connection& db_;
    shell_settings settings_;
    output_file output_;
    std::unique_ptr<row_writer> writer_;
    parameter_set no_parameters_;
    bool timer_ = false;
    bool quit_ = false;
    bool inner_script_failed_ = false;
    bool talking_ = false;
    exit_code worst_ = exit_code::ok;
    std::string script_;  ///< name of the script being read, for messages
    int line_ = 0;        ///< of the script
    int depth_ = 0;
};

}  // namespace skiff_cli
