// The output file, and which writer belongs to which format; the writers are in output_*.cpp.
#include "output.hpp"

#include "output_writers.hpp"
#include "terminal.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace skiff_cli {

std::optional<output_format> format_called(std::string_view name) noexcept {
    for (const auto format :
         {output_format::table, output_format::csv, output_format::json, output_format::line}) {
        if (name == name_of(format)) return format;
    }
    return std::nullopt;
}

std::string_view name_of(output_format format) noexcept {
    switch (format) {
        case output_format::table:
            return "table";
        case output_format::csv:
            return "csv";
        case output_format::json:
            return "json";
        case output_format::line:
            return "line";
    }
    return "";
}

output_format default_format() noexcept {
    return is_terminal(stream::output) ? output_format::table : output_format::csv;
}

output_file::output_file(const std::filesystem::path& path)
    : file_(std::fopen(path.c_str(), "wbe")), path_(path.string()) {
    if (file_ == nullptr) fail();
}

output_file::output_file(output_file&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)) {}

output_file& output_file::operator=(output_file&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(path_, other.path_);
    return *this;
}

output_file::~output_file() {
    // Errors are dropped: close() reports them.
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void output_file::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void output_file::flush() {
    if (std::fflush(file_) != 0) fail();
}

void output_file::close() {
    if (file_ == nullptr) return;
    flush();
    if (file_ == stdout) return;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void output_file::fail() const {
    throw std::system_error(errno, std::generic_category(), "cannot write " + path_);
}

std::unique_ptr<row_writer> make_writer(output_format format, output_file& target) {
    switch (format) {
        case output_format::csv:
            return std::make_unique<csv_writer>(target);
        case output_format::json:
            return std::make_unique<json_writer>(target);
        case output_format::line:
            return std::make_unique<line_writer>(target);
        case output_format::table:
            break;
    }
    return std::make_unique<table_writer>(target);
}

}  // namespace skiff_cli
