// Stanzas of Debian's control format as records: the fields are the columns.
#pragma once

#include "import/byte_source.hpp"
#include "import/debian_control.hpp"
#include "import/keyed_columns.hpp"
#include "import/record.hpp"

#include <string>
#include <vector>

namespace skiff_cli {

class control_records : public record_reader {
  public:
    /// `source` must outlive the reader.
    explicit control_records(byte_source& source) : reader_(source) {}

    bool next(record& out) override;
    [[nodiscard]] const std::vector<std::string>& columns() const override { return keys_.names(); }
    [[nodiscard]] std::uint64_t skipped_lines() const override { return reader_.bad_lines(); }

  private:
    debian_control_reader reader_;
    keyed_columns keys_;
    std::vector<control_field> fields_;
    std::string raw_;
};

}  // namespace skiff_cli
