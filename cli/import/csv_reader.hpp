// A streaming reader of CSV as RFC 4180 has it: quoted fields with embedded delimiters, quotes and
// line breaks, LF or CRLF, a byte order mark is skipped.
#pragma once

#include "import/byte_source.hpp"
#include "import/record.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

struct csv_options {
    char delimiter = ',';
    bool header = true;
    std::string null_text;  ///< an unquoted field of this text is NULL
};

/// A record with a broken quote costs its first line only: reading goes on with the line after it.
class csv_reader : public record_reader {
  public:
    /// Reads the header. `source` must outlive the reader. Throws std::runtime_error when the
    /// source is empty or its header broken.
    csv_reader(byte_source& source, csv_options options);

    bool next(record& out) override;
    [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

  private:
    /// A field by its place in the record.
    struct extent {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool quoted = false;
        bool escaped = false;  ///< holds doubled quotes
    };

    bool fill();
    bool has(std::size_t offset);
    [[nodiscard]] char byte(std::size_t offset) const { return buffer_[begin_ + offset]; }
    [[nodiscard]] bool ends_line(std::size_t offset);
    bool scan_record();
    bool scan_quoted(std::size_t& offset);
    void scan_plain(std::size_t& offset);
    void reject_first_line(std::string problem);
    void reject_long_line(std::size_t kept);
    void count_columns();
    cell cell_of(const extent& field);
    void make_cells(record& out);
    [[nodiscard]] std::string_view text_of(const extent& field);

    byte_source* source_;
    csv_options options_;
    std::vector<std::string> columns_;
    std::string buffer_;
    std::size_t begin_ = 0;     ///< of the record, in buffer_
    std::size_t length_ = 0;    ///< of the record, without its line end
    std::size_t consumed_ = 0;  ///< of the record, with its line end
    std::vector<extent> fields_;
    std::string unescaped_;  ///< texts of the record's escaped fields
    std::string problem_;
    std::uint64_t line_ = 1;  ///< that the record begins in
    bool at_end_ = false;
    bool have_record_ = false;  ///< the first record was scanned before next() was called
};

}  // namespace skiff_cli
