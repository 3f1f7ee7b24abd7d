// Lines typed at a terminal, with editing, history and completion by libedit, and Ctrl-C as an
// answer of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// What came of asking for a line.
struct typed_line {
    enum class outcome { line, interrupted, end };
    outcome how = outcome::end;
    std::string text;
};

/// The terminal's line editor. One in the program; main thread only.
class line_editor {
  public:
    /// Words that may complete a word that was begun.
    using candidates = std::function<std::vector<std::string>()>;

    /// `history` is read now and written by save(); an empty path keeps none.
    line_editor(std::filesystem::path history, candidates words);
    line_editor(const line_editor&) = delete;
    line_editor& operator=(const line_editor&) = delete;
    ~line_editor();

    /// Shows `prompt` and waits for a line. Ctrl-C drops what was typed.
    [[nodiscard]] typed_line read(const std::string& prompt);
    /// Adds an entry to the history.
    void remember(const std::string& entry);
    /// Writes the history. Best effort: a shell works without.
    void save() const noexcept;

    /// $SKIFF_HISTORY, else skiff/history in $XDG_STATE_HOME or ~/.local/state.
    [[nodiscard]] static std::filesystem::path default_history();

  private:
    static void take_line(char* line) noexcept;
    static char** complete(const char* word, int start, int end) noexcept;
    static char* next_match(const char* word, int state) noexcept;

    std::filesystem::path history_;
    candidates words_;
    std::vector<std::string> matches_;
    int wake_ = -1;  ///< an eventfd that Ctrl-C makes readable
    bool done_ = false;
    typed_line result_;

    static line_editor* only;  ///< libedit's callbacks have no argument for it
};

}  // namespace skiff_cli
