// The four row writers behind make_writer(): nobody else names them.
#pragma once

#include "output.hpp"
#include "terminal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// An aligned table. Widths come from the first rows, so that a result of any length streams; later
/// rows that are wider stick out. Numbers are right-aligned; control characters are escaped; a cell
/// is cut at cell_columns_max.
class table_writer : public row_writer {
  public:
    static constexpr std::size_t rows_measured = 500;
    static constexpr int cell_columns_max = 200;

    explicit table_writer(output_file& target) noexcept : target_(&target) {}
    void begin(const std::vector<std::string>& columns) override;
    void add(const skiff::row& row) override;
    void end() override;

  private:
    enum class kind { text, number, null };
    struct cell {
        std::string text;
        kind content = kind::text;
    };
    using line = std::vector<cell>;
    struct column {
        std::string name;
        int width = 0;
        bool has_numbers = false;
        bool has_texts = false;
        /// Its name stands above numbers that are all aligned to the right.
        [[nodiscard]] bool is_numeric() const noexcept { return has_numbers && !has_texts; }
    };

    static cell cell_of(const skiff::value_ref& value);
    /// Styles are for standard output only, and only when it is a terminal.
    [[nodiscard]] std::string decorated(const std::string& text, style look) const;
    void print_head();
    void print(const line& cells);

    output_file* target_;
    std::vector<column> columns_;
    std::vector<line> waiting_;  ///< rows kept until the widths are known
    bool head_printed_ = false;
    bool another_result_ = false;
};

/// RFC 4180 with LF line ends. NULL is an empty field, the empty text is "".
class csv_writer : public row_writer {
  public:
    explicit csv_writer(output_file& target) noexcept : target_(&target) {}
    void begin(const std::vector<std::string>& columns) override;
    void add(const skiff::row& row) override;
    void end() override {}

  private:
    void append_text(std::string_view text);
    void append(const skiff::value_ref& value);

    output_file* target_;
    std::string line_;
    bool another_result_ = false;
};

/// An array of objects, one object a line.
class json_writer : public row_writer {
  public:
    explicit json_writer(output_file& target) noexcept : target_(&target) {}
    void begin(const std::vector<std::string>& columns) override;
    void add(const skiff::row& row) override;
    void end() override;

  private:
    output_file* target_;
    std::vector<std::string> keys_;  ///< as JSON with the colon, each different
    std::string line_;
    bool first_row_ = true;
};

/// "column = value" on lines of their own, a blank line between rows.
class line_writer : public row_writer {
  public:
    explicit line_writer(output_file& target) noexcept : target_(&target) {}
    void begin(const std::vector<std::string>& columns) override;
    void add(const skiff::row& row) override;
    void end() override {}

  private:
    output_file* target_;
    std::vector<std::string> labels_;
    bool another_row_ = false;
};

/// 1.0, 0.1, 1e+300, inf: the shortest text that reads back as the same double, always with a point
/// or an exponent.
[[nodiscard]] std::string real_text(double number);
/// "x'00ff'", cut with a note of the size after `bytes_max` bytes.
[[nodiscard]] std::string blob_text(skiff::blob_view content, std::size_t bytes_max);
/// Control characters as \n, \t and \x1b, so that text from a file cannot steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace skiff_cli
