// A scanner that looks at each byte once, however the text is cut into pieces.
#include "sql_splitter.hpp"

#include "value_guess.hpp"

#include <algorithm>
#include <utility>

namespace skiff_cli {

namespace {

bool is_blank(char character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

bool is_word(char character) {
    const auto code = static_cast<unsigned char>(character);
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z') || code == '_' || code == '$' || code >= 0x80;
}

}  // namespace

void sql_splitter::feed(std::string_view text) {
    const std::size_t done = begun_ ? start_ : scanned_;
    text_.erase(0, done);
    scanned_ -= done;
    start_ = 0;
    text_ += text;
}

std::optional<script_statement> sql_splitter::next() {
    return scan();
}

std::optional<script_statement> sql_splitter::rest() {
    at_end_ = true;
    auto found = scan();
    if (!found && begun_) {
        scanned_ = text_.size();
        found = cut();
        found->text.erase(found->text.find_last_not_of(" \t\r\n") + 1);
    }
    at_end_ = false;
    return found;
}

void sql_splitter::clear() {
    *this = sql_splitter();
}

std::string_view sql_splitter::open_part() const noexcept {
    switch (place_) {
        case place::single_quote:
            return "'";
        case place::double_quote:
            return "\"";
        case place::backquote:
            return "`";
        case place::bracket:
            return "[";
        case place::comment:
            return "/*";
        case place::code:
        case place::line_comment:
            break;
    }
    const bool in_body = trigger_ == trigger::body || trigger_ == trigger::after_semicolon ||
                         trigger_ == trigger::ended;
    return in_body ? "trigger" : "";
}

std::optional<script_statement> sql_splitter::scan() {
    while (scanned_ < text_.size()) {
        const std::size_t bytes =
            place_ == place::code ? scan_code(scanned_) : scan_enclosed(scanned_);
        if (bytes == 0) return std::nullopt;
        const auto from = text_.begin() + static_cast<std::ptrdiff_t>(scanned_);
        line_ +=
            static_cast<int>(std::count(from, from + static_cast<std::ptrdiff_t>(bytes), '\n'));
        scanned_ += bytes;
        if (std::exchange(complete_, false)) return cut();
    }
    return std::nullopt;
}

/// Looks at the token at `at`, outside of quotes and comments. Its bytes, or 0 when it may go on in
/// text that is not there yet.
std::size_t sql_splitter::scan_code(std::size_t at) {
    const char character = text_[at];
    if (is_blank(character)) return 1;
    if (character == '-' || character == '/') {
        if (at + 1 == text_.size() && !at_end_) return 0;
        const std::string_view pair = std::string_view(text_).substr(at, 2);
        if (pair == "--" || pair == "/*") {
            place_ = pair == "--" ? place::line_comment : place::comment;
            return 2;
        }
    }
    if (character == ';') {
        complete_ = begun_ && ends_at_semicolon();
        return 1;
    }
    if (is_word(character)) {
        const auto from = text_.begin() + static_cast<std::ptrdiff_t>(at);
        const auto bytes =
            static_cast<std::size_t>(std::find_if_not(from, text_.end(), is_word) - from);
        if (at + bytes == text_.size() && !at_end_) return 0;
        see_token(at, std::string_view(text_).substr(at, bytes));
        return bytes;
    }
    see_token(at, {});
    switch (character) {
        case '\'':
            place_ = place::single_quote;
            break;
        case '"':
            place_ = place::double_quote;
            break;
        case '`':
            place_ = place::backquote;
            break;
        case '[':
            place_ = place::bracket;
            break;
        default:
            break;
    }
    return 1;
}

/// Looks for the end of the quote or comment that `at` is in. The bytes that were looked at.
std::size_t sql_splitter::scan_enclosed(std::size_t at) {
    std::string_view closing;
    switch (place_) {
        case place::single_quote:
            closing = "'";
            break;
        case place::double_quote:
            closing = "\"";
            break;
        case place::backquote:
            closing = "`";
            break;
        case place::bracket:
            closing = "]";
            break;
        case place::line_comment:
            closing = "\n";
            break;
        case place::comment:
            closing = "*/";
            break;
        case place::code:
            return 0;
    }
    const std::size_t found = text_.find(closing, at);
    if (found == std::string::npos) {
        // A star at the very end may be half of the closing.
        const bool half = place_ == place::comment && text_.back() == '*' && !at_end_;
        return text_.size() - at - (half ? 1 : 0);
    }
    place_ = place::code;
    return found + closing.size() - at;
}

/// Takes note of a token that is code: a word, or something else (`word` empty).
void sql_splitter::see_token(std::size_t at, std::string_view word) {
    if (!std::exchange(begun_, true)) {
        start_ = at;
        start_line_ = line_;
    }
    const auto is = [&](std::string_view name) { return equal_ignoring_case(word, name); };
    switch (trigger_) {
        case trigger::undecided:
            if (is("create")) {
                trigger_ = trigger::create_seen;
            } else if (!is("explain") && !is("query") && !is("plan")) {
                trigger_ = trigger::no;
            }
            break;
        case trigger::create_seen:
            if (is("trigger")) {
                trigger_ = trigger::body;
            } else if (!is("temp") && !is("temporary")) {
                trigger_ = trigger::no;
            }
            break;
        case trigger::after_semicolon:
            trigger_ = is("end") ? trigger::ended : trigger::body;
            break;
        case trigger::ended:
            trigger_ = trigger::body;
            break;
        case trigger::body:
        case trigger::no:
            break;
    }
}

bool sql_splitter::ends_at_semicolon() noexcept {
    if (trigger_ != trigger::body && trigger_ != trigger::after_semicolon) return true;
    trigger_ = trigger::after_semicolon;
    return false;
}

script_statement sql_splitter::cut() {
    script_statement found{text_.substr(start_, scanned_ - start_), start_line_};
    begun_ = false;
    trigger_ = trigger::undecided;
    place_ = place::code;
    return found;
}

}  // namespace skiff_cli
