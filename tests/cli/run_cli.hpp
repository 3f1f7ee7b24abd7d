// Runs the real skiff program for tests, in a folder of its own: to its end with run(), step by
// step as a process, or at a terminal. Every wait has a deadline, after which the test fails.
#pragma once

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace skiff_test {

/// How the program ended, and what it printed.
struct cli_result {
    int exit_code = -1;  ///< -1 after a signal
    std::string out;
    std::string err;
};

/// The running program with pipes as its streams. Killed when destroyed.
class cli_process {
  public:
    /// With `output` its standard output is that file instead of a pipe.
    cli_process(const std::filesystem::path& folder,
                std::vector<std::string> arguments,
                const char* output = nullptr);
    cli_process(const cli_process&) = delete;
    cli_process& operator=(const cli_process&) = delete;
    ~cli_process();

    /// Writes to its standard input; false when it does not listen any more.
    bool write(std::string_view text);
    void close_input();
    /// Reads its standard output or error until `text` was printed there.
    void await_output(std::string_view text) { await(out_fd_, result_.out, text); }
    void await_error(std::string_view text) { await(err_fd_, result_.err, text); }
    /// What Ctrl-C sends.
    void interrupt() const;
    cli_result wait();

  private:
    void await(int fd, std::string& seen, std::string_view text);

    pid_t pid_ = -1;
    int in_fd_ = -1;
    int out_fd_ = -1;
    int err_fd_ = -1;
    cli_result result_;
};

/// The running program at a terminal of its own.
class cli_terminal {
  public:
    cli_terminal(const std::filesystem::path& folder, std::vector<std::string> arguments);
    cli_terminal(const cli_terminal&) = delete;
    cli_terminal& operator=(const cli_terminal&) = delete;
    ~cli_terminal();

    void type(std::string_view keys);
    /// Reads the screen until `text` comes, from where the last call ended.
    void await(std::string_view text);
    /// All that was on the screen.
    [[nodiscard]] const std::string& screen() const noexcept { return screen_; }
    int wait();

  private:
    pid_t pid_ = -1;
    int fd_ = -1;
    std::string screen_;
    std::size_t looked_at_ = 0;
};

/// A folder for one test, and the program in it.
class cli_test : public testing::Test {
  protected:
    /// Runs the program to its end.
    cli_result run(std::vector<std::string> arguments, std::string_view input = {}) const;
    /// Runs it and expects success; its standard output.
    std::string output_of(std::vector<std::string> arguments, std::string_view input = {}) const;
    /// Writes a file into the folder.
    void put(std::string_view name, std::string_view content) const;
    [[nodiscard]] std::string content_of(std::string_view name) const;
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  private:
    temp_dir folder_;
};

}  // namespace skiff_test
