// Other processes of the benchmark: this program again, with another verb.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace skiff_bench {

/// A running process; ended when destroyed, by closing its standard input and waiting for it.
class child {
  public:
    /// Starts a program, this one unless another is named, with the arguments. Throws
    /// std::system_error.
    explicit child(const std::vector<std::string>& arguments,
                   std::string program = "/proc/self/exe");
    ~child();
    child(child&& other) noexcept
        : pid_(std::exchange(other.pid_, -1)),
          input_(std::exchange(other.input_, -1)),
          output_(std::exchange(other.output_, -1)) {}
    child& operator=(child&&) = delete;

    /// The next line of its standard output; empty at the end.
    [[nodiscard]] std::string read_line();
    /// All that is left of its standard output.
    [[nodiscard]] std::string read_all();
    /// Closes its standard input, by which it is told to end.
    void end_input() noexcept;
    /// Closes its standard input, waits, and returns its exit code (128 and more: a signal).
    int finish();
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  private:
    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
};

/// Opens the database with a driver's way of opening, reads one row, and closes it.
int run_once(const std::string& driver, const std::filesystem::path& database);

/// This process uses one processor from now on, as its threads do that are started later.
void pin_to_one_core() noexcept;
/// Undoes that, also where it was inherited from the process that started this one.
void use_all_cores() noexcept;

}  // namespace skiff_bench
