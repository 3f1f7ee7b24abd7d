// Finding the package index, and turning its stanzas into rows.
#include "demo/package_index.hpp"

#include "demo/valid_utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace skiff_cli {

namespace {

constexpr std::string_view sample_name = "packages-sample.control";

bool same_field(std::string_view name, std::string_view wanted) {
    // Policy 5.1: field names are not case-sensitive.
    return name.size() == wanted.size() &&
           std::equal(name.begin(), name.end(), wanted.begin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) ==
                      std::tolower(static_cast<unsigned char>(b));
           });
}

/// The value of a field, empty when the stanza has none.
std::string_view find(const std::vector<control_field>& fields, std::string_view name) {
    for (const auto& field : fields) {
        if (same_field(field.name, name)) return field.value;
    }
    return {};
}

std::optional<std::string> text_or_null(std::string_view value) {
    if (value.empty()) return std::nullopt;
    return valid_utf8(value);
}

std::optional<std::int64_t> number_or_null(std::string_view value) {
    std::int64_t number = 0;
    const auto* const end = value.data() + value.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
    const auto [stopped, failure] = std::from_chars(value.data(), end, number);
    if (failure != std::errc{} || stopped != end || number < 0) return std::nullopt;
    return number;
}

/// The sample, looked for beside the program: in its source tree or in its installed tree.
std::optional<std::filesystem::path> find_sample() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (const char* named = std::getenv("SKIFF_SAMPLE"); named != nullptr) return fs::path(named);
    fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    constexpr int levels_max = 5;  // build/<preset>/bin is three below the source tree
    for (int level = 0; level < levels_max; ++level) {
        for (const char* place : {"examples/data", "share/skiff"}) {
            fs::path candidate = folder / place / sample_name;
            if (fs::exists(candidate, ignored)) return candidate;
        }
        folder = folder.parent_path();
    }
    fs::path here = fs::path("examples/data") / sample_name;
    if (fs::exists(here, ignored)) return here;
    return std::nullopt;
}

/// apt keeps its lists plain or compressed; this program reads two of the forms.
enum class list_form { none, readable, compressed };

list_form form_of(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    for (const std::string_view end : {"_Packages", "_Packages.lz4"}) {
        if (name.ends_with(end)) return list_form::readable;
    }
    for (const std::string_view end : {"_Packages.gz", "_Packages.xz", "_Packages.zst"}) {
        if (name.ends_with(end)) return list_form::compressed;
    }
    return list_form::none;
}

}  // namespace

package_input find_package_input(const std::filesystem::path& lists) {
    package_input found;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(lists, failure)) {
        const auto form = form_of(entry.path());
        if (form == list_form::readable) {
            found.files.push_back(entry.path());
        } else if (form == list_form::compressed) {
            found.notes.push_back(fmt::format(
                "{} is passed over: only plain and .lz4 lists are read", entry.path().string()));
        }
    }
    std::sort(found.files.begin(), found.files.end());
    if (!found.files.empty()) {
        found.description = fmt::format("Debian's package index in {}, {} file{}", lists.string(),
                                        found.files.size(), found.files.size() == 1 ? "" : "s");
        return found;
    }
    const auto sample = find_sample();
    if (!sample) {
        throw std::runtime_error(fmt::format(
            "no package index in {} and no {} beside the program: give a file with --input FILE",
            lists.string(), sample_name));
    }
    found.files.push_back(*sample);
    found.description =
        fmt::format("the sample {} (no package index in {})",
                    std::filesystem::weakly_canonical(*sample, failure).string(), lists.string());
    return found;
}

package_reader::package_reader(std::vector<std::filesystem::path> files)
    : files_(std::move(files)) {
    for (const auto& file : files_) bytes_total_ += open_source(file)->bytes_total();
}

std::uint64_t package_reader::bytes_read() const {
    return bytes_closed_ + (source_ ? source_->bytes_read() : 0);
}

bool package_reader::next(package_batch& batch) {
    while (next_stanza()) {
        const auto name = find(fields_, "Package");
        const auto version = find(fields_, "Version");
        if (name.empty() || version.empty()) {
            ++counts_.incomplete;
        } else if (!is_new(name, version)) {
            ++counts_.duplicates;
        } else {
            append(batch);
            return true;
        }
    }
    return false;
}

bool package_reader::next_stanza() {
    for (;;) {
        if (!reader_ && !open_next()) return false;
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): open_next() filled it
        if (reader_->next(fields_)) return true;
        close_current();
    }
}

bool package_reader::open_next() {
    if (next_file_ == files_.size()) return false;
    source_ = open_source(files_[next_file_++]);
    reader_.emplace(*source_);
    return true;
}

void package_reader::close_current() {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): called while a file is open
    counts_.bad_lines += reader_->bad_lines();
    bytes_closed_ += source_->bytes_read();
    reader_.reset();
    source_.reset();
}

bool package_reader::is_new(std::string_view name, std::string_view version) {
    // A newline cannot occur in either, so the pair is unambiguous.
    return seen_.insert(fmt::format("{}\n{}", name, version)).second;
}

void package_reader::append(package_batch& batch) {
    const auto id = static_cast<std::int64_t>(++counts_.packages);
    batch.packages.push_back(
        {id, valid_utf8(find(fields_, "Package")), valid_utf8(find(fields_, "Version")),
         text_or_null(find(fields_, "Section")), text_or_null(find(fields_, "Priority")),
         number_or_null(find(fields_, "Installed-Size")), number_or_null(find(fields_, "Size")),
         text_or_null(find(fields_, "Homepage"))});
    append_dependencies(batch, find(fields_, "Depends"), dependency_kind::depends);
    append_dependencies(batch, find(fields_, "Pre-Depends"), dependency_kind::pre_depends);
    append_dependencies(batch, find(fields_, "Recommends"), dependency_kind::recommends);

    // The first line of a description is its summary. Indexes mostly hold nothing more, so the
    // package's name is made searchable too.
    const auto text = find(fields_, "Description");
    const auto line_end = text.find('\n');
    auto body = valid_utf8(find(fields_, "Package"));
    if (line_end != std::string_view::npos) {
        body.append("\n").append(valid_utf8(text.substr(line_end + 1)));
    }
    batch.descriptions.push_back({id, valid_utf8(text.substr(0, line_end)), std::move(body)});
}

void package_reader::append_dependencies(package_batch& batch,
                                         std::string_view field,
                                         dependency_kind kind) {
    targets_.clear();
    counts_.bad_dependencies += parse_dependencies(field, targets_);
    for (const auto& target : targets_) {
        batch.dependencies.push_back({batch.packages.back().id, kind, std::string(target.name),
                                      text_or_null(target.requirement)});
    }
}

}  // namespace skiff_cli
