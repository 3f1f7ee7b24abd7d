// libedit is driven by poll() and its callback interface, because its readline() cannot be told to
// give up the line.
#include "shell/line_editor.hpp"

#include "signals.hpp"

// editline/readline.h uses FILE without including it.
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <editline/readline.h>
#include <poll.h>
#include <stop_token>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skiff_cli {

namespace {

constexpr int history_entries_max = 2000;

/// An environment variable that is set and not empty, or null.
const char* environment(const char* name) {
    const char* found = std::getenv(name);
    return found != nullptr && *found != '\0' ? found : nullptr;
}

}  // namespace

line_editor* line_editor::only = nullptr;

std::filesystem::path line_editor::default_history() {
    if (const char* chosen = environment("SKIFF_HISTORY")) return chosen;
    if (const char* state = environment("XDG_STATE_HOME")) {
        return std::filesystem::path(state) / "skiff" / "history";
    }
    if (const char* home = environment("HOME")) {
        return std::filesystem::path(home) / ".local" / "state" / "skiff" / "history";
    }
    return {};
}

line_editor::line_editor(std::filesystem::path history, candidates words)
    : history_(std::move(history)), words_(std::move(words)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    only = this;
    static char name[] = "skiff";
    rl_readline_name = name;
    rl_initialize();
    using_history();
    stifle_history(history_entries_max);
    if (!history_.empty()) read_history(history_.c_str());
    rl_attempted_completion_function = &line_editor::complete;
}

line_editor::~line_editor() {
    only = nullptr;
    ::close(wake_);
}

void line_editor::take_line(char* line) noexcept {
    only->done_ = true;
    if (line == nullptr) {
        only->result_.how = typed_line::outcome::end;
        return;
    }
    only->result_ = {typed_line::outcome::line, line};
    std::free(line);
}

typed_line line_editor::read(const std::string& prompt) {
    const interrupt_scope ctrl_c;
    const std::stop_callback waker(ctrl_c.token(), [this] {
        const std::uint64_t one = 1;
        // Cannot fail in a way that matters: the counter only has to be more than 0.
        static_cast<void>(!::write(wake_, &one, sizeof one));
    });
    done_ = false;
    result_ = {};
    rl_callback_handler_install(prompt.c_str(), &line_editor::take_line);
    std::array<pollfd, 2> waiting = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    while (!done_) {
        if (::poll(waiting.data(), waiting.size(), -1) < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (waiting[1].revents != 0) {
            std::uint64_t count = 0;
            static_cast<void>(!::read(wake_, &count, sizeof count));
            result_.how = typed_line::outcome::interrupted;
            break;
        }
        if (waiting[0].revents != 0) rl_callback_read_char();
    }
    rl_callback_handler_remove();
    if (result_.how != typed_line::outcome::line) std::fputc('\n', stdout);
    std::fflush(stdout);
    return std::exchange(result_, {});
}

void line_editor::remember(const std::string& entry) {
    add_history(entry.c_str());
}

void line_editor::save() const noexcept {
    if (history_.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(history_.parent_path(), ignored);
    write_history(history_.c_str());
}

char** line_editor::complete(const char* word, int, int) noexcept {
    rl_attempted_completion_over = 1;  // no file names
    try {
        only->matches_.clear();
        const std::string_view begun(word);
        for (auto& each : only->words_()) {
            if (begun.size() <= each.size() &&
                ::strncasecmp(each.c_str(), word, begun.size()) == 0) {
                only->matches_.push_back(std::move(each));
            }
        }
    } catch (...) {
        return nullptr;  // best effort: a locked or damaged file must not end the shell
    }
    return rl_completion_matches(word, &line_editor::next_match);
}

char* line_editor::next_match(const char*, int state) noexcept {
    const auto index = static_cast<std::size_t>(state);
    return index < only->matches_.size() ? ::strdup(only->matches_[index].c_str()) : nullptr;
}

}  // namespace skiff_cli
