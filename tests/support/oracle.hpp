// The prefix oracle of crash tests: numbered transactions of many clients, what each client heard,
// and what must be in the file afterwards. A log can only lose its end, so the rows must be exactly
// 1 … n, nobody's acknowledged row beyond n; a refused one never; each row whole.
#pragma once

#include "support/seed.hpp"

#include <skiff/database.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skiff_test {

/// What a client heard of one of its transactions. Fits into one atomic write to a pipe.
struct attempt {
    std::int64_t n = 0;  ///< number of the transaction when it was acknowledged, 0 when refused
    std::int32_t client = 0;
    std::int32_t client_seq = 0;
};

/// One file's oracle. One thread at a time.
class prefix_oracle {
  public:
    /// The tables that entries are written to.
    static void make_schema(skiff::database& db);
    /// The body of a client's transaction; returns its number.
    static std::int64_t write_entry(skiff::transaction& tx,
                                    std::int32_t client,
                                    std::int32_t client_seq,
                                    random_numbers& random);

    /// Notes what a client heard; only before the check that it is to hold for.
    void heard(const attempt& told) { told_.push_back(told); }
    [[nodiscard]] std::size_t acknowledged() const;

    /// Everything that is wrong with the content, read in one snapshot; empty when nothing is.
    [[nodiscard]] std::vector<std::string> check(skiff::database& db) const;
    /// Structure: what stock SQLite's own checks say; empty when all is well.
    [[nodiscard]] static std::vector<std::string> check_structure(
        const std::filesystem::path& path);

  private:
    std::vector<attempt> told_;
};

}  // namespace skiff_test
