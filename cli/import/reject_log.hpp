// Records that were not taken: counted, the first ones shown, and all kept in a file on request.
#pragma once

#include "import/record.hpp"
#include "output.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace skiff_cli {

class progress;

/// One thread at a time.
class reject_log {
  public:
    static constexpr std::uint64_t shown_max = 10;

    /// `file` is made now, so that a wrong name is found before the work; empty: none is kept.
    explicit reject_log(const std::filesystem::path& file);

    /// Counts a record and says why; wipes `shown` off the line first.
    void add(const record& bad, const std::string& reason, progress& shown);
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    void close();

  private:
    std::optional<output_file> file_;
    std::uint64_t count_ = 0;
};

}  // namespace skiff_cli
