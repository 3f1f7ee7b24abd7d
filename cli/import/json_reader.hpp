// JSON lines: one object a line, its keys are the columns. Parsed by nlohmann::json.
#pragma once

#include "import/byte_source.hpp"
#include "import/keyed_columns.hpp"
#include "import/record.hpp"

#include <nlohmann/json.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// Nested values become their JSON text, true and false 1 and 0, integers beyond 64 bits text.
class json_reader : public record_reader {
  public:
    /// `source` must outlive the reader.
    explicit json_reader(byte_source& source) : source_(&source) {}

    bool next(record& out) override;
    [[nodiscard]] const std::vector<std::string>& columns() const override { return keys_.names(); }

  private:
    bool read_line();
    void take_object(record& out);
    cell cell_of(const nlohmann::ordered_json& value);

    byte_source* source_;
    keyed_columns keys_;
    std::string_view chunk_;  ///< what is left of the source's last chunk
    std::string text_;        ///< the line
    nlohmann::ordered_json object_;
    std::deque<std::string> made_texts_;  ///< of the record: texts that are not in object_
    std::uint64_t line_ = 0;
    bool too_long_ = false;
    bool at_end_ = false;
};

}  // namespace skiff_cli
