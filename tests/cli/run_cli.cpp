// fork, exec, poll: the test's side of a program under test.
#include "cli/run_cli.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <pty.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skiff_test {

namespace {

/// Generous: sanitizers on a busy machine are slow, and a test that passes does not wait.
constexpr auto patience = std::chrono::seconds(90);

using moment = std::chrono::steady_clock::time_point;

int milliseconds_until(moment end) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

std::pair<int, int> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return {ends[0], ends[1]};
}

/// In the child: becomes the program.
[[noreturn]] void become(const std::filesystem::path& folder, std::vector<std::string>& arguments) {
    // A test runner in the background ignores Ctrl-C, and the child would inherit that.
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGPIPE, SIG_DFL);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::setenv("SKIFF_HISTORY", "history", 1);
    ::setenv("TERM", "xterm", 1);
    ::setenv("NO_COLOR", "1", 1);
    std::vector<char*> pointers;
    for (auto& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(SKIFF_CLI_PATH, pointers.data());
    ::_exit(127);
}

/// Appends what comes; false at the end.
bool read_some(int fd, std::string& target) {
    std::array<char, 4096> buffer{};
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;  // a terminal whose program ended gives EIO
    target.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

/// Waits for the end of the program. -1 when a signal ended it.
int exit_code_of(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void kill_if_running(pid_t pid) {
    if (pid <= 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

}  // namespace

cli_process::cli_process(const std::filesystem::path& folder,
                         std::vector<std::string> arguments,
                         const char* output) {
    arguments.insert(arguments.begin(), SKIFF_CLI_PATH);
    ::signal(SIGPIPE, SIG_IGN);
    const auto [in_read, in_write] = make_pipe();
    const auto [out_read, out_write] = make_pipe();
    const auto [err_read, err_write] = make_pipe();
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        ::dup2(in_read, STDIN_FILENO);
        ::dup2(output != nullptr ? ::open(output, O_WRONLY | O_CLOEXEC) : out_write, STDOUT_FILENO);
        ::dup2(err_write, STDERR_FILENO);
        become(folder, arguments);
    }
    ::close(in_read);
    ::close(out_write);
    ::close(err_write);
    in_fd_ = in_write;
    out_fd_ = out_read;
    err_fd_ = err_read;
}

cli_process::~cli_process() {
    kill_if_running(pid_);
    close_input();
    ::close(out_fd_);
    ::close(err_fd_);
}

bool cli_process::write(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(in_fd_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

void cli_process::close_input() {
    if (in_fd_ >= 0) ::close(std::exchange(in_fd_, -1));
}

void cli_process::interrupt() const {
    ::kill(pid_, SIGINT);
}

void cli_process::await(int fd, std::string& seen, std::string_view text) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (seen.find(text) == std::string::npos) {
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, milliseconds_until(end)) == 0) {
            throw std::runtime_error("'" + std::string(text) + "' did not come, but: " + seen);
        }
        if (!read_some(fd, seen)) {
            throw std::runtime_error("ended without '" + std::string(text) + "': " + seen);
        }
    }
}

cli_result cli_process::wait() {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::array<pollfd, 2> waiting = {pollfd{out_fd_, POLLIN, 0}, pollfd{err_fd_, POLLIN, 0}};
    std::array<std::string*, 2> targets = {&result_.out, &result_.err};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        if (::poll(waiting.data(), waiting.size(), milliseconds_until(end)) == 0) {
            throw std::runtime_error("the program did not end");
        }
        for (std::size_t which = 0; which < waiting.size(); ++which) {
            if (waiting[which].fd < 0 || waiting[which].revents == 0) continue;
            if (!read_some(waiting[which].fd, *targets[which])) waiting[which].fd = -1;
        }
    }
    result_.exit_code = exit_code_of(std::exchange(pid_, -1));
    return result_;
}

cli_terminal::cli_terminal(const std::filesystem::path& folder,
                           std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SKIFF_CLI_PATH);
    winsize size{.ws_row = 25, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
    if (pid_ == 0) become(folder, arguments);
}

cli_terminal::~cli_terminal() {
    kill_if_running(pid_);
    ::close(fd_);
}

void cli_terminal::type(std::string_view keys) {
    while (!keys.empty()) {
        const auto written = ::write(fd_, keys.data(), keys.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw std::system_error(errno, std::generic_category(), "type");
        keys.remove_prefix(static_cast<std::size_t>(written));
    }
}

void cli_terminal::await(std::string_view text) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::size_t found = screen_.find(text, looked_at_);
    while (found == std::string::npos) {
        pollfd waiting{fd_, POLLIN, 0};
        if (::poll(&waiting, 1, milliseconds_until(end)) == 0 || !read_some(fd_, screen_)) {
            throw std::runtime_error("'" + std::string(text) + "' did not come, but: " + screen_);
        }
        found = screen_.find(text, looked_at_);
    }
    looked_at_ = found + text.size();
}

int cli_terminal::wait() {
    while (read_some(fd_, screen_)) {
    }
    return exit_code_of(std::exchange(pid_, -1));
}

cli_result cli_test::run(std::vector<std::string> arguments, std::string_view input) const {
    cli_process process(folder(), std::move(arguments));
    process.write(input);
    process.close_input();
    return process.wait();
}

std::string cli_test::output_of(std::vector<std::string> arguments, std::string_view input) const {
    const auto done = run(std::move(arguments), input);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
}

void cli_test::put(std::string_view name, std::string_view content) const {
    std::ofstream file(folder() / name, std::ios::binary);
    file << content;
    if (!file.flush()) throw std::runtime_error("cannot write " + std::string(name));
}

std::string cli_test::content_of(std::string_view name) const {
    std::ifstream file(folder() / name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

}  // namespace skiff_test
