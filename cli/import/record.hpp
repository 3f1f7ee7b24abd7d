// What every format is read into: records of cells, one cell for each column, with the record's
// text as it stood in the source for those that turn out to be bad.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_cli {

/// One value of a record.
struct cell {
    enum class kind {
        missing,  ///< the record says nothing of the column
        null,
        untyped,  ///< text of a format that has nothing else: may mean a number
        text,     ///< text that is meant as text
        integer,
        real
    };
    kind what = kind::missing;
    std::string_view text;
    std::int64_t integer = 0;
    double real = 0;
};

/// A record, good or bad. Its views are valid until the reader is asked for the next one.
struct record {
    std::uint64_t line = 0;   ///< the line it begins in, from 1
    std::string_view raw;     ///< without the line end
    std::string problem;      ///< why it is bad; empty for a good one
    std::vector<cell> cells;  ///< by column; may be shorter than columns() when those grow
};

/// Reads records one by one, in constant memory. One thread at a time.
class record_reader {
  public:
    /// What a record may hold at most; a longer one is bad.
    static constexpr std::size_t record_bytes_max = std::size_t{16} * 1024 * 1024;

    virtual ~record_reader() = default;

    /// The next record; false at the end. Throws what the source throws.
    virtual bool next(record& out) = 0;
    /// The names of the columns as the source has them. Grows while records bring new keys.
    [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;
    /// Parts of the source that made no sense and are no record either.
    [[nodiscard]] virtual std::uint64_t skipped_lines() const { return 0; }
};

}  // namespace skiff_cli
