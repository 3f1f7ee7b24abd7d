// The shell's dot commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

class shell;

/// Runs one line that starts with a dot. Throws usage_error when there is no such command or its
/// arguments are wrong, and what the command itself throws.
void run_shell_command(shell& session, std::string_view line);
[[nodiscard]] std::vector<std::string> shell_command_names();

}  // namespace skiff_cli
