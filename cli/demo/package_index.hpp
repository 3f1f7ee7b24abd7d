// Debian's package index as records ready to be stored: where its files are on this machine, and a
// reader over all of them. Used by the demo.
#pragma once

#include "demo/dependency_list.hpp"
#include "import/byte_source.hpp"
#include "import/debian_control.hpp"

#include <skiff/mapping/numbers.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace skiff_cli {

enum class dependency_kind { depends, pre_depends, recommends };

/// A row of the table `package`, in the order of its columns.
struct package_row {
    std::int64_t id = 0;
    std::string name;
    std::string version;
    std::optional<std::string> section;
    std::optional<std::string> priority;
    std::optional<std::int64_t> installed_kib;
    std::optional<std::int64_t> size_bytes;
    std::optional<std::string> homepage;
};

/// A row of the table `dependency`.
struct dependency_row {
    std::int64_t package = 0;
    dependency_kind kind = dependency_kind::depends;
    std::string target;
    std::optional<std::string> requirement;
};

/// A row of the full-text table `description`.
struct description_row {
    std::int64_t package = 0;
    std::string summary;
    std::string body;
};

/// Packages on their way into the database.
struct package_batch {
    std::vector<package_row> packages;
    std::vector<dependency_row> dependencies;
    std::vector<description_row> descriptions;
};

/// The files to read and what to tell about the choice.
struct package_input {
    std::vector<std::filesystem::path> files;
    std::string description;         ///< "Debian's package index in /var/lib/apt/lists"
    std::vector<std::string> notes;  ///< files that were passed over, and why
};

/// The package index of this machine in `lists`, or else the sample that comes with Skiff. Throws
/// std::runtime_error when there is neither.
[[nodiscard]] package_input find_package_input(
    const std::filesystem::path& lists = "/var/lib/apt/lists");

/// What the reader passed over.
struct package_counts {
    std::uint64_t packages = 0;
    std::uint64_t duplicates = 0;        ///< same name and version as one before
    std::uint64_t incomplete = 0;        ///< stanzas without a name or a version
    std::uint64_t bad_lines = 0;         ///< lines that are not in control format
    std::uint64_t bad_dependencies = 0;  ///< entries of Depends fields that make no sense
};

/// Reads all files one after the other. One thread at a time.
class package_reader {
  public:
    explicit package_reader(std::vector<std::filesystem::path> files);

    /// Appends the next package to `batch`; false at the end. Ids count up from 1.
    bool next(package_batch& batch);
    [[nodiscard]] const package_counts& counts() const { return counts_; }
    /// Bytes of the files as stored: read so far, and all.
    [[nodiscard]] std::uint64_t bytes_read() const;
    [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }

  private:
    bool open_next();
    void close_current();
    bool next_stanza();
    bool is_new(std::string_view name, std::string_view version);
    void append(package_batch& batch);
    void append_dependencies(package_batch& batch, std::string_view field, dependency_kind kind);

    std::vector<std::filesystem::path> files_;
    std::size_t next_file_ = 0;
    std::unique_ptr<byte_source> source_;
    std::optional<debian_control_reader> reader_;
    std::vector<control_field> fields_;
    std::vector<dependency_target> targets_;
    std::unordered_set<std::string> seen_;
    package_counts counts_;
    std::uint64_t bytes_closed_ = 0;
    std::uint64_t bytes_total_ = 0;
};

}  // namespace skiff_cli

/// How the kinds are stored: by name.
template <>
inline constexpr auto skiff::enum_names<skiff_cli::dependency_kind> =
    std::to_array<std::pair<skiff_cli::dependency_kind, std::string_view>>(
        {{skiff_cli::dependency_kind::depends, "depends"},
         {skiff_cli::dependency_kind::pre_depends, "pre-depends"},
         {skiff_cli::dependency_kind::recommends, "recommends"}});
