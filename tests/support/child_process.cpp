// Fork, three pipes, and the end of the child as a value.
#include "support/child_process.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skiff_test {

namespace {

constexpr uid_t nobody = 65534;

struct pipe_ends {
    int read_fd = -1;
    int write_fd = -1;
};

pipe_ends make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    return {ends[0], ends[1]};
}

void write_all(int fd, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto written = ::write(fd, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;  // the parent is gone: nobody to tell
        done += static_cast<std::size_t>(written);
    }
}

std::string read_all(int fd) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

[[noreturn]] void be_the_child(const child_process::work& run, child_channel& channel, int fd) {
    int exit_code = 0;
    std::string answer;
    try {
        answer = run(channel);
    } catch (const std::exception& thrown) {
        exit_code = 1;
        answer = std::string("threw: ") + thrown.what();
    } catch (...) {
        exit_code = 1;
        answer = "threw: something else";
    }
    write_all(fd, answer);
    ::_exit(exit_code);
}

}  // namespace

void child_channel::signal() const {
    write_all(write_fd_, ".");
}

bool child_channel::wait() const {
    char byte = 0;
    for (;;) {
        const auto got = ::read(read_fd_, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        return got == 1;
    }
}

child_process::child_process(const work& run) {
    const auto answer = make_pipe();
    const auto down = make_pipe();
    const auto up = make_pipe();
    std::fflush(nullptr);  // or the child may print what is buffered once more
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        // A pipe that nobody reads is an error code for write(), not a signal.
        ::signal(SIGPIPE, SIG_IGN);
        ::close(answer.read_fd);
        ::close(down.write_fd);
        ::close(up.read_fd);
        child_channel channel(down.read_fd, up.write_fd);
        be_the_child(run, channel, answer.write_fd);
    }
    ::close(answer.write_fd);
    ::close(down.read_fd);
    ::close(up.write_fd);
    answer_fd_ = answer.read_fd;
    to_child_ = down.write_fd;
    from_child_ = up.read_fd;
    channel_ = child_channel(from_child_, to_child_);
}

child_process::child_process(child_process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      answer_fd_(std::exchange(other.answer_fd_, -1)),
      to_child_(std::exchange(other.to_child_, -1)),
      from_child_(std::exchange(other.from_child_, -1)),
      channel_(other.channel_) {}

child_process::~child_process() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(join());
}

void child_process::freeze() const noexcept {
    ::kill(pid_, SIGSTOP);
}

void child_process::thaw() const noexcept {
    ::kill(pid_, SIGCONT);
}

child_result child_process::join() {
    child_result result;
    if (pid_ < 0) return result;
    ::close(to_child_);  // a child that still waits for a signal sees the end of it
    result.answer = read_all(answer_fd_);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    ::close(answer_fd_);
    ::close(from_child_);
    pid_ = -1;
    return result;
}

child_result run_in_child(const std::function<std::string()>& work) {
    child_process child([&work](child_channel&) { return work(); });
    return child.join();
}

bool drop_privileges() noexcept {
    if (::geteuid() != 0) return true;
    return ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
}

}  // namespace skiff_test
