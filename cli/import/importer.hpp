// One import from its first record to its summary: look at the start of the source, decide on the
// columns, then store record by record.
#pragma once

#include "import/column_types.hpp"
#include "import/record.hpp"
#include "import/reject_log.hpp"
#include "import/target_table.hpp"
#include "signals.hpp"
#include "terminal.hpp"

#include <skiff/connection.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skiff_cli {

class byte_source;

/// What the table must be before the import.
enum class table_policy { create_or_append, create, append };

struct import_settings {
    std::string table;
    table_policy policy = table_policy::create_or_append;
    std::int64_t batch_rows = 10'000;
    bool dry_run = false;
    /// Columns are matched with those of a table that exists by position, not by name.
    bool by_position = false;
};

/// What an import did, and into what.
struct import_summary {
    std::vector<target_column> columns;
    std::int64_t rows = 0;
    std::uint64_t rejected = 0;
    std::uint64_t skipped_lines = 0;
    bool created = false;
};

/// One import. One thread at a time.
class importer {
  public:
    static constexpr std::size_t sample_records = 1000;
    static constexpr std::size_t sample_bytes_max = std::size_t{32} * 1024 * 1024;

    /// `db` is null for a dry run into a file that does not exist.
    importer(skiff::connection* db,
             byte_source& source,
             record_reader& reader,
             reject_log& rejects,
             import_settings settings);

    /// Throws interrupted_by_user, usage_error and skiff::error; the message then tells how many
    /// rows are in.
    import_summary run();

  private:
    /// A record that outlives its reader's next step.
    struct kept_record {
        record content;
        std::vector<char> bytes;
    };
    /// For the cells of a source column that have no column in the table.
    static constexpr auto nowhere = static_cast<std::size_t>(-1);

    void read_sample();
    [[nodiscard]] std::vector<target_column> existing_columns() const;
    void decide_columns(std::vector<target_column> existing);
    void create_columns();
    void match_columns(std::vector<target_column> existing);
    void add_late_columns(const record& row);
    void store(const record& row);
    void store_all();
    [[nodiscard]] std::optional<std::string> fill_row(const record& row);
    void reject(const record& row, const std::string& reason);
    void show_progress();
    [[nodiscard]] std::string state_text() const;

    skiff::connection* db_;
    byte_source& source_;
    record_reader& reader_;
    reject_log& rejects_;
    import_settings settings_;
    interrupt_scope stop_;
    progress progress_;
    std::vector<kept_record> sample_;
    std::vector<type_guess> guesses_;
    std::vector<std::size_t> routes_;  ///< by source column: the column in the table, or nowhere
    std::optional<target_table> table_;
    std::vector<target_column> columns_;
    skiff::argument_list row_;
    std::int64_t rows_ = 0;
    bool created_ = false;
};

}  // namespace skiff_cli
