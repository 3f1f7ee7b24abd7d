// A streaming reader of Debian's control format (Debian Policy 5.1): stanzas of "Name: value"
// lines with indented continuation lines, separated by blank lines. Used by the import verb and
// the demo. It takes whatever it is given: what makes no sense is counted, never fatal.
#pragma once

#include "import/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// One field. The lines of a value are joined with '\n'; a continuation line lost its first blank,
/// and the lone "." that stands for an empty line became one.
struct control_field {
    std::string_view name;
    std::string_view value;
};

/// Reads stanzas one by one. Memory is bounded by the largest stanza. One thread at a time.
class debian_control_reader {
  public:
    /// What a stanza holds at most; text beyond it is dropped and its lines count as bad.
    static constexpr std::size_t stanza_bytes_max = std::size_t{16} * 1024 * 1024;

    /// `source` must outlive the reader.
    explicit debian_control_reader(byte_source& source) : source_(&source) {}

    /// Fills `out` with the next stanza that has at least one field; false at the end. The views
    /// are valid until the next call. Throws what the source throws.
    bool next(std::vector<control_field>& out);
    /// Lines read so far, so the number of the last line of the stanza just read.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    /// Lines that were neither a field, nor a continuation of one, nor a comment.
    [[nodiscard]] std::uint64_t bad_lines() const { return bad_lines_; }

  private:
    /// Offsets instead of views: text_ moves while it grows.
    struct extent {
        std::size_t name_begin;
        std::size_t name_bytes;
        std::size_t value_begin;
        std::size_t value_bytes;
    };

    bool read_line(std::string_view& line);
    void take_line(std::string_view line);
    void add_field(std::string_view name, std::string_view value);
    void add_continuation(std::string_view text);

    byte_source* source_;
    std::string_view chunk_;  ///< what is left of the source's last chunk
    std::string carried_;     ///< a line that began in an earlier chunk
    std::string text_;        ///< names and values of the stanza being read
    std::vector<extent> fields_;
    bool at_end_ = false;
    bool overlong_ = false;        ///< the line being read is cut at the limit
    bool after_bad_line_ = false;  ///< continuation lines belong to a line that was refused
    std::uint64_t line_ = 0;
    std::uint64_t bad_lines_ = 0;
};

}  // namespace skiff_cli
