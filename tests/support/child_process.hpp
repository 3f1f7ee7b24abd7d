// A second process for tests: a copy of this one (fork) that runs one function and answers with
// text. What the function throws is the answer, too, so that the test can compare it. The child
// ends with _exit, so nothing of the test runner happens twice.
//
// Start it before the test starts threads, and do not use objects of the parent's database in it.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

namespace skiff_test {

/// How a child ended.
struct child_result {
    std::string answer;  ///< what the function returned, or "threw: …"
    int exit_code = -1;  ///< 0 when the function returned, 1 when it threw; -1 after a signal
    int signal = 0;      ///< the signal that ended it, 0 when none did
};

/// The child's end of the talk with its parent: single bytes, each way in order.
class child_channel {
  public:
    child_channel(int read_fd, int write_fd) noexcept : read_fd_(read_fd), write_fd_(write_fd) {}
    /// Tells the other side that a point was reached.
    void signal() const;
    /// Waits until the other side signals; false when it ended instead.
    [[nodiscard]] bool wait() const;

  private:
    int read_fd_;
    int write_fd_;
};

/// A running child. Killed when destroyed before it was joined. One thread at a time.
class child_process {
  public:
    using work = std::function<std::string(child_channel&)>;

    explicit child_process(const work& run);
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&&) = delete;
    ~child_process();

    /// Tells the child that a point was reached, or waits for the child to tell so.
    void signal() const { channel_.signal(); }
    [[nodiscard]] bool wait() const { return channel_.wait(); }
    /// Stops it where it is, whatever locks it holds, and lets it go on.
    void freeze() const noexcept;
    void thaw() const noexcept;
    /// Waits for the end.
    child_result join();

  private:
    pid_t pid_ = -1;
    int answer_fd_ = -1;
    int to_child_ = -1;
    int from_child_ = -1;
    child_channel channel_{-1, -1};
};

/// Runs `work` in a child and waits for it.
child_result run_in_child(const std::function<std::string()>& work);

/// For the child: gives up root's right to ignore permission bits. False when that is impossible.
[[nodiscard]] bool drop_privileges() noexcept;

}  // namespace skiff_test
