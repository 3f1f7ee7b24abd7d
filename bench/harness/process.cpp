// posix_spawn, with pipes at its standard streams.
#include "harness/process.hpp"

#include "drivers/driver.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace skiff_bench {

namespace {

constexpr int signal_base = 128;  // as shells say it

[[noreturn]] void fail(int error, const char* what) {
    throw std::system_error(error, std::generic_category(), what);
}

std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
    return ends;
}

}  // namespace

child::child(const std::vector<std::string>& arguments, std::string program) {
    const auto in = make_pipe();
    const auto out = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::vector<std::string> copies(arguments);
    std::vector<char*> words{program.data()};
    for (auto& each : copies) words.push_back(each.data());
    words.push_back(nullptr);
    const int error = posix_spawn(&pid_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
    if (error != 0) {
        pid_ = -1;
        ::close(input_);
        ::close(output_);
        fail(error, "posix_spawn");
    }
}

child::~child() {
    if (pid_ > 0) finish();
}

void child::end_input() noexcept {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
}

int child::finish() {
    end_input();
    if (output_ >= 0) ::close(std::exchange(output_, -1));
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

std::string child::read_line() {
    std::string line;
    for (char letter = 0; ::read(output_, &letter, 1) == 1 && letter != '\n';) line += letter;
    return line;
}

std::string child::read_all() {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const auto got = ::read(output_, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
}

int run_once(const std::string& driver, const std::filesystem::path& database) {
    const auto* entry = find_driver(driver);
    if (entry == nullptr) return 2;
    return entry->open({database})->open_session()->read(1) ? 0 : 1;
}

void pin_to_one_core() noexcept {
    cpu_set_t all;
    if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int at = CPU_SETSIZE - 1; at >= 0; --at) {
        if (!CPU_ISSET(static_cast<std::size_t>(at), &all)) continue;
        CPU_SET(static_cast<std::size_t>(at), &one);
        // Best effort: an unpinned run is noisier, not wrong.
        static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
        return;
    }
}

void use_all_cores() noexcept {
    cpu_set_t all;
    std::memset(&all, 0xFF, sizeof all);  // the kernel leaves out what there is not
    static_cast<void>(::sched_setaffinity(0, sizeof all, &all));
}

}  // namespace skiff_bench
