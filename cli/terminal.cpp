// The terminal through isatty, ioctl and wcwidth; progress lines are plain writes to stderr.
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <sys/ioctl.h>
#include <unistd.h>

namespace skiff_cli {

namespace {

using namespace std::chrono_literals;

constexpr auto bar_after = 500ms;
constexpr auto bar_interval = 100ms;
constexpr auto line_interval = 5s;
constexpr int bar_cells_min = 6;
constexpr int bar_cells_max = 24;

bool has_colours(stream where) {
    static const bool wanted = [] {
        const char* refused = std::getenv("NO_COLOR");
        const char* kind = std::getenv("TERM");
        return (refused == nullptr || *refused == '\0') && kind != nullptr &&
               std::string_view(kind) != "dumb";
    }();
    return wanted && is_terminal(where);
}

std::string_view escape_of(style look) {
    switch (look) {
        case style::plain:
            return "";
        case style::bold:
            return "\033[1m";
        case style::dim:
            return "\033[2m";
        case style::red:
            return "\033[31m";
        case style::green:
            return "\033[32m";
        case style::yellow:
            return "\033[33m";
        case style::cyan:
            return "\033[36m";
    }
    return "";
}

/// Bytes of the character that starts `text`, and the columns it takes.
struct glyph {
    std::size_t bytes;
    int columns;
};

glyph first_glyph(std::string_view text) {
    std::mbstate_t state{};
    wchar_t wide = 0;
    const std::size_t bytes = std::mbrtowc(&wide, text.data(), text.size(), &state);
    if (bytes == 0 || bytes > text.size()) return {1, 1};
    return {bytes, std::max(0, ::wcwidth(wide))};
}

double share(std::uint64_t done, std::uint64_t total) {
    return std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

}  // namespace

bool is_terminal(stream which) noexcept {
    static const std::array<bool, 3> known = {::isatty(0) == 1, ::isatty(1) == 1, ::isatty(2) == 1};
    return known[static_cast<std::size_t>(which)];
}

int terminal_width() noexcept {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

int display_width(std::string_view utf8) noexcept {
    int columns = 0;
    while (!utf8.empty()) {
        if (const auto byte = static_cast<unsigned char>(utf8.front()); byte < 0x80) {
            columns += 1;
            utf8.remove_prefix(1);
            continue;
        }
        const glyph next = first_glyph(utf8);
        columns += next.columns;
        utf8.remove_prefix(next.bytes);
    }
    return columns;
}

std::string_view clipped(std::string_view utf8, int columns) noexcept {
    std::size_t kept = 0;
    int width = 0;
    while (kept < utf8.size()) {
        const glyph next = first_glyph(utf8.substr(kept));
        if (width + next.columns > columns) break;
        width += next.columns;
        kept += next.bytes;
    }
    return utf8.substr(0, kept);
}

std::string styled(std::string_view text, style look, stream where) {
    if (look == style::plain || !has_colours(where)) return std::string(text);
    return fmt::format("{}{}\033[0m", escape_of(look), text);
}

std::string grouped(std::uint64_t number) {
    std::string digits = fmt::format("{}", number);
    for (std::size_t from_right = 3; from_right < digits.size(); from_right += 4) {
        digits.insert(digits.size() - from_right, 1, ',');
    }
    return digits;
}

std::string readable_bytes(std::uint64_t bytes) {
    constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double amount = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (amount >= 1024 && unit + 1 < units.size()) {
        amount /= 1024;
        ++unit;
    }
    return amount < 10 ? fmt::format("{:.1f} {}", amount, units[unit])
                       : fmt::format("{:.0f} {}", amount, units[unit]);
}

std::string readable_duration(std::chrono::nanoseconds span) {
    const double seconds = std::chrono::duration<double>(span).count();
    if (seconds < 0.001) return fmt::format("{:.0f} µs", seconds * 1e6);
    if (seconds < 0.01) return fmt::format("{:.1f} ms", seconds * 1000);
    if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
    if (seconds < 10 && std::floor(seconds) != seconds) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long long>(seconds);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

progress::progress(std::string title, progress_unit unit)
    : title_(std::move(title)),
      unit_(unit),
      on_terminal_(is_terminal(stream::errors)),
      begun_(clock::now()),
      next_(begun_ + (on_terminal_ ? clock::duration(bar_after) : clock::duration(line_interval))) {
}

void progress::update(std::uint64_t done, std::uint64_t total) {
    const auto now = clock::now();
    if (now < next_) return;
    std::string text = line(done, total);
    if (on_terminal_) {
        // One column stays free: writing the last one makes some terminals wrap.
        text = fmt::format("\r{}\033[K", clipped(text, terminal_width() - 1));
        next_ = now + bar_interval;
        shown_ = true;
    } else {
        text += '\n';
        next_ = now + line_interval;
    }
    // Best effort: a progress line that cannot be written must not fail the work.
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

void progress::clear() noexcept {
    if (!shown_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_ = false;
    next_ = clock::time_point{};
}

std::string progress::amount(std::uint64_t number) const {
    if (unit_ == progress_unit::bytes) return readable_bytes(number);
    return grouped(number) + (unit_ == progress_unit::rows ? " rows" : "");
}

/// What stands behind the bar: how much, how fast, how long still.
std::string progress::figures(std::uint64_t done, std::uint64_t total) const {
    const double seconds = std::chrono::duration<double>(elapsed()).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    std::string text;
    if (total > 0) {
        text += fmt::format(" {:3.0f}%  {} of {}", share(done, total) * 100, amount(done),
                            amount(total));
    } else if (done > 0) {
        text += fmt::format(" {}", amount(done));
    }
    if (rate > 0) text += fmt::format("  {}/s", amount(static_cast<std::uint64_t>(rate)));
    if (total > done && rate > 0) {
        const double left = std::ceil(static_cast<double>(total - done) / rate);
        text += fmt::format(
            "  {} left", readable_duration(std::chrono::seconds(static_cast<std::int64_t>(left))));
    } else if (total == 0) {
        text += fmt::format("  {}", readable_duration(elapsed()));
    }
    if (!remark_.empty()) text += "  " + remark_;
    return text;
}

std::string progress::line(std::uint64_t done, std::uint64_t total) const {
    const std::string tail = figures(done, total);
    if (!on_terminal_ || total == 0) return title_ + tail;
    // The bar takes what room is left; the figures say more than it does.
    const int room = terminal_width() - display_width(title_) - display_width(tail) - 4;
    if (room < bar_cells_min) return title_ + tail;
    const auto cells = static_cast<std::size_t>(std::min(room, bar_cells_max));
    const auto full = static_cast<std::size_t>(share(done, total) * static_cast<double>(cells));
    return fmt::format("{} [{}{}]{}", title_, std::string(full, '#'),
                       std::string(cells - full, '.'), tail);
}

elapsed_line::elapsed_line(std::string title)
    : shown_(std::move(title), progress_unit::items), ticker_([this](std::stop_token stop) {
          std::unique_lock hold(mutex_);
          while (!wake_.wait_for(hold, stop, bar_interval, [&] { return stop.stop_requested(); })) {
              shown_.update(done_, total_);
          }
      }) {}

elapsed_line::~elapsed_line() {
    ticker_.request_stop();
    ticker_.join();
}

void elapsed_line::step(std::string remark, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard hold(mutex_);
    shown_.remark(std::move(remark));
    done_ = done;
    total_ = total;
}

}  // namespace skiff_cli
