// What the program knows of the terminal: whether there is one, how wide it is, colours, and the
// progress line on stderr.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace skiff_cli {

enum class stream { input, output, errors };

[[nodiscard]] bool is_terminal(stream which) noexcept;
/// Columns of the terminal behind stderr; 80 when there is none.
[[nodiscard]] int terminal_width() noexcept;
/// Columns that `utf8` takes on a terminal; bytes that are no UTF-8 count one each.
[[nodiscard]] int display_width(std::string_view utf8) noexcept;
/// The longest start of `utf8` that takes at most `columns`.
[[nodiscard]] std::string_view clipped(std::string_view utf8, int columns) noexcept;

enum class style { plain, bold, dim, red, green, yellow, cyan };
/// `text` in a style when `where` is a terminal that has colours (and NO_COLOR is not set), else
/// `text` as it is.
[[nodiscard]] std::string styled(std::string_view text, style look, stream where);

/// "1,234,567", and "1.5 GiB", "312 KiB", "17 B".
[[nodiscard]] std::string grouped(std::uint64_t number);
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);
/// "12 µs", "1.4 ms", "400 ms", "1.4 s", "12 s", "3 min 20 s", "2 h 05 min".
[[nodiscard]] std::string readable_duration(std::chrono::nanoseconds span);

/// What a progress line counts.
enum class progress_unit { bytes, rows, items };

/// How far some work is, on stderr: a bar with rate and time left on a terminal, else one line
/// every five seconds. Work of less than half a second shows nothing. Cheap to update often. One
/// thread at a time.
class progress {
  public:
    using clock = std::chrono::steady_clock;

    /// `title` starts the line: "importing words".
    progress(std::string title, progress_unit unit);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    /// Wipes the bar, so that what is printed next starts on a clean line.
    ~progress() { clear(); }

    /// The next update will show something: for work that is quicker than making a remark.
    [[nodiscard]] bool is_due() const { return clock::now() >= next_; }
    /// `done` of `total` (0: unknown, a count without a bar).
    void update(std::uint64_t done, std::uint64_t total);
    /// A further remark at the end of the line: "1,234,567 rows".
    void remark(std::string text) { remark_ = std::move(text); }
    /// Wipes the bar for other output; the next update shows it again.
    void clear() noexcept;

    [[nodiscard]] clock::duration elapsed() const { return clock::now() - begun_; }

  private:
    [[nodiscard]] std::string amount(std::uint64_t number) const;
    [[nodiscard]] std::string figures(std::uint64_t done, std::uint64_t total) const;
    [[nodiscard]] std::string line(std::uint64_t done, std::uint64_t total) const;

    std::string title_;
    std::string remark_;
    progress_unit unit_;
    bool on_terminal_;
    bool shown_ = false;
    clock::time_point begun_;
    clock::time_point next_;
};

/// A progress line for work that cannot report itself (one long SQL statement): a thread of its own
/// keeps it moving. Made, told and destroyed on the thread that works.
class elapsed_line {
  public:
    explicit elapsed_line(std::string title);
    elapsed_line(const elapsed_line&) = delete;
    elapsed_line& operator=(const elapsed_line&) = delete;
    ~elapsed_line();

    /// What is being done now, and how many of how many things are done.
    void step(std::string remark, std::uint64_t done, std::uint64_t total);

  private:
    std::mutex mutex_;  ///< guards all but the thread
    std::condition_variable_any wake_;
    progress shown_;
    std::uint64_t done_ = 0;
    std::uint64_t total_ = 0;
    std::jthread ticker_;
};

}  // namespace skiff_cli
