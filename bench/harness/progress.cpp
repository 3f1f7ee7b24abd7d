// The time that is left is that of the steps so far, on average.
#include "harness/progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace skiff_bench {

progress_line::progress_line(std::size_t total) noexcept
    : total_(total), is_shown_(::isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
}

void progress_line::step(int round, const std::string& work, const std::string& driver) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begun_;
    const double left = done_ == 0 ? 0
                                   : gone.count() / static_cast<double>(done_) *
                                         static_cast<double>(total_ - done_);
    ++done_;
    if (!is_shown_) return;
    fmt::print(stderr, "\r\033[Kround {}, {}/{}, {:.0f} s left: {} · {}", round + 1, done_, total_,
               left, work, driver);
}

}  // namespace skiff_bench
