// Cuts a stream of SQL text into statements at their semicolons, without understanding them:
// quotes, comments and the bodies of triggers are all it knows. Used for scripts and for the
// shell's lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace skiff_cli {

/// One statement as it was written, up to its semicolon, and where it began.
struct script_statement {
    std::string text;
    int line = 1;
};

/// Text goes in by feed(), statements come out by next(). One thread at a time.
///
/// A statement ends at a semicolon outside of quotes ('…', "…", `…`, […]) and comments (-- and
/// /* */). CREATE TRIGGER ends at the semicolon after an END that follows a semicolon, which is the
/// rule of sqlite3_complete().
class sql_splitter {
  public:
    void feed(std::string_view text);
    /// The next statement that is complete.
    std::optional<script_statement> next();
    /// What is left when no more text comes, if it is more than blanks and comments.
    std::optional<script_statement> rest();
    /// A statement or a comment has begun and is not complete.
    [[nodiscard]] bool has_begun() const noexcept { return begun_ || place_ != place::code; }
    /// What quote, comment or body the text stands in: "'", "\"", "`", "[", "/*", "trigger" or "".
    [[nodiscard]] std::string_view open_part() const noexcept;
    /// Forgets what is left.
    void clear();

  private:
    enum class place {
        code,
        single_quote,
        double_quote,
        backquote,
        bracket,
        line_comment,
        comment
    };
    /// How far the statement is one that creates a trigger, whose body has semicolons of its own.
    enum class trigger { undecided, create_seen, no, body, after_semicolon, ended };

    std::optional<script_statement> scan();
    std::size_t scan_code(std::size_t at);
    std::size_t scan_enclosed(std::size_t at);
    void see_token(std::size_t at, std::string_view word);
    bool ends_at_semicolon() noexcept;
    script_statement cut();

    std::string text_;
    std::size_t scanned_ = 0;  ///< everything before this was looked at
    std::size_t start_ = 0;    ///< of the statement: its first character that is code
    bool begun_ = false;
    bool complete_ = false;
    bool at_end_ = false;  ///< no more text comes: what stands at the end is whole
    place place_ = place::code;
    trigger trigger_ = trigger::undecided;
    int line_ = 1;        ///< of scanned_
    int start_line_ = 1;  ///< of start_
};

}  // namespace skiff_cli
