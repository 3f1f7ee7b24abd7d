// Rows as text: a table for people, CSV and JSON for programs, one value a line for wide rows.
// `skiff exec --help` describes each format.
#pragma once

#include <skiff/row.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

enum class output_format { table, csv, json, line };

/// The format called `name`, or nothing.
[[nodiscard]] std::optional<output_format> format_called(std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(output_format format) noexcept;
/// A table on a terminal, CSV elsewhere.
[[nodiscard]] output_format default_format() noexcept;

/// Where output goes: standard output or a file. Throws std::system_error when it cannot be
/// written. One thread at a time.
class output_file {
  public:
    /// Standard output.
    output_file() noexcept : file_(stdout) {}
    /// A file, made anew.
    explicit output_file(const std::filesystem::path& path);
    output_file(output_file&& other) noexcept;
    output_file& operator=(output_file&& other) noexcept;
    ~output_file();

    void write(std::string_view text);
    /// Hands everything to the system and reports what went wrong.
    void flush();
    /// Flushes and closes; standard output stays open.
    void close();
    [[nodiscard]] bool is_standard() const noexcept { return file_ == stdout; }

  private:
    [[noreturn]] void fail() const;

    std::FILE* file_;
    std::string path_ = "standard output";
};

/// Writes one result: begin, each row, end. One thread at a time.
class row_writer {
  public:
    virtual ~row_writer() = default;

    virtual void begin(const std::vector<std::string>& columns) = 0;
    virtual void add(const skiff::row& row) = 0;
    virtual void end() = 0;
};

/// `target` must outlive the writer, which serves any number of results one after the other.
[[nodiscard]] std::unique_ptr<row_writer> make_writer(output_format format, output_file& target);

/// `text` as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace skiff_cli
