// How errors look: one place, so that every verb speaks the same way.
#include "report.hpp"

#include "cli.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <system_error>

namespace skiff_cli {

namespace {

/// Bytes looked at on each side of a fault: enough for any terminal, little for an error message.
constexpr std::size_t context_bytes = 1000;

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::string with_spaces(std::string_view text) {
    std::string plain(text);
    for (char& byte : plain) {
        if (const auto code = static_cast<unsigned char>(byte); code < 0x20 || code == 0x7f) {
            byte = ' ';
        }
    }
    return plain;
}

/// The longest end of `text` that takes at most `columns`.
std::string_view clipped_left(std::string_view text, int columns) {
    while (display_width(text) > columns) {
        text.remove_prefix(1);
        while (!text.empty() && continues_character(text.front())) text.remove_prefix(1);
    }
    return text;
}

void print(std::string_view text) {
    // Best effort: there is nowhere else to say that stderr is gone.
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

std::string headline(std::string_view message) {
    return fmt::format("{} {}\n", styled("skiff:", style::red, stream::errors), message);
}

std::string hint_line(std::string_view hint) {
    return hint.empty()
               ? std::string()
               : fmt::format("  {} {}\n", styled("hint:", style::cyan, stream::errors), hint);
}

fault_excerpt excerpt_of(const skiff::error& failure) {
    const bool has_place = failure.sql_offset() >= 0;
    return excerpt(failure.sql(), has_place ? static_cast<std::size_t>(failure.sql_offset()) : 0,
                   terminal_width() - 4);
}

std::string sql_lines(const skiff::error& failure) {
    if (failure.sql().empty()) return {};
    const fault_excerpt part = excerpt_of(failure);
    std::string text = fmt::format("    {}\n", part.line);
    if (failure.sql_offset() >= 0) {
        text += fmt::format("    {:{}}{}\n", "", part.caret,
                            styled("^", style::yellow, stream::errors));
    }
    return text;
}

/// "schema.sql, line 12: message"; the line is that of the fault, where it is known.
std::string placed(const script_place& where, int lines_before, std::string_view message) {
    if (where.line == 0) return std::string(message);
    return fmt::format("{}{}line {}: {}", where.name, where.name.empty() ? "" : ", ",
                       where.line + lines_before, message);
}

std::string message_of(const skiff::error& failure) {
    std::string text(failure.message());
    if (!failure.object().empty() && text.find(failure.object()) == std::string::npos) {
        text = fmt::format("{}: {}", failure.object(), text);
    }
    if (failure.system_errno() != 0) {
        text += fmt::format(" ({})", std::generic_category().message(failure.system_errno()));
    }
    return text;
}

}  // namespace

exit_code exit_code_of(const skiff::error& failure) noexcept {
    switch (failure.code()) {
        case skiff::errc::busy:
        case skiff::errc::locked:
        case skiff::errc::timeout:
            return exit_code::busy;
        case skiff::errc::interrupted:
            return exit_code::interrupted;
        case skiff::errc::cannot_open:
        case skiff::errc::permission:
        case skiff::errc::not_a_database:
            return exit_code::cannot_open;
        default:
            return failure.operation() == "open" ? exit_code::cannot_open : exit_code::failed;
    }
}

exit_code report(const skiff::error& failure, const script_place& where) {
    const exit_code code = exit_code_of(failure);
    if (code == exit_code::interrupted) {
        report_line("interrupted");
        return code;
    }
    int lines_before = 0;
    if (failure.sql_offset() > 0) lines_before = excerpt_of(failure).line_number - 1;
    print(headline(placed(where, lines_before, message_of(failure))) + sql_lines(failure) +
          hint_line(failure.advice()));
    return code;
}

exit_code report(const std::exception_ptr& failure, const script_place& where) {
    try {
        std::rethrow_exception(failure);
    } catch (const skiff::error& error) {
        return report(error, where);
    } catch (const interrupted_by_user& stop) {
        const std::string_view state = stop.what();
        report_line(state.empty() ? "interrupted" : fmt::format("interrupted: {}", state));
        return exit_code::interrupted;
    } catch (const usage_error& wrong) {
        report_line(placed(where, 0, wrong.what()));
        return exit_code::usage;
    } catch (const std::bad_alloc&) {
        report_line("out of memory");
        return exit_code::failed;
    } catch (const std::exception& error) {
        report_line(placed(where, 0, error.what()));
        return exit_code::failed;
    }
}

void report_line(std::string_view message, std::string_view hint) {
    print(headline(message) + hint_line(hint));
}

void report_note(std::string_view text) {
    print(fmt::format("{}\n", text));
}

fault_excerpt excerpt(std::string_view sql, std::size_t offset, int columns) {
    offset = std::min(offset, sql.size());
    while (offset > 0 && offset < sql.size() && continues_character(sql[offset])) --offset;
    const std::string_view before = sql.substr(0, offset);
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t end = std::min(sql.find('\n', offset), sql.size());

    fault_excerpt part;
    part.line_number = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    std::size_t from = std::max(start, offset > context_bytes ? offset - context_bytes : 0);
    while (from > start && from < offset && continues_character(sql[from])) ++from;
    const std::size_t to = std::min(end, offset + context_bytes);
    const std::string left = with_spaces(sql.substr(from, offset - from));
    const std::string right = with_spaces(sql.substr(offset, to - offset));

    // The fault gets the middle; what one side does not need, the other side may have.
    columns = std::max(columns, 20);
    const int left_width = display_width(left);
    const int right_width = display_width(right);
    const int left_room = std::max(columns / 2, columns - right_width - 1);
    const bool cuts_left = from > start || left_width > left_room;
    const std::string_view kept_left = cuts_left ? clipped_left(left, left_room - 1) : left;
    const int used = display_width(kept_left) + (cuts_left ? 1 : 0);
    const bool cuts_right = to < end || right_width > columns - used;
    const std::string_view kept_right = cuts_right ? clipped(right, columns - used - 1) : right;

    part.line =
        fmt::format("{}{}{}{}", cuts_left ? "…" : "", kept_left, kept_right, cuts_right ? "…" : "");
    part.caret = used;
    return part;
}

}  // namespace skiff_cli
