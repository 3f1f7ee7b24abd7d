// In the file each record stands as it was, below a line "# line 12: why".
#include "import/reject_log.hpp"

#include "report.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

namespace skiff_cli {

reject_log::reject_log(const std::filesystem::path& file) {
    if (!file.empty()) file_.emplace(file);
}

void reject_log::add(const record& bad, const std::string& reason, progress& shown) {
    ++count_;
    if (count_ <= shown_max) {
        shown.clear();
        report_note(fmt::format("line {}: {}", bad.line, reason));
    } else if (count_ == shown_max + 1) {
        shown.clear();
        report_note(file_ ? "further bad rows are kept in the file of rejected rows"
                          : "further bad rows are only counted; --reject FILE keeps them");
    }
    if (!file_) return;
    file_->write(fmt::format("# line {}: {}\n", bad.line, reason));
    file_->write(bad.raw);
    file_->write("\n");
}

void reject_log::close() {
    if (file_) file_->close();
}

}  // namespace skiff_cli
