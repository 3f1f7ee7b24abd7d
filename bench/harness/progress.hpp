// A line on the terminal that says how far a run is; nothing where there is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace skiff_bench {

class progress_line {
  public:
    explicit progress_line(std::size_t total) noexcept;
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    /// The next step begins.
    void step(int round, const std::string& work, const std::string& driver);

  private:
    std::size_t total_;
    bool is_shown_;
    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace skiff_bench
