// Sample files as a table: for each row and metric the median of each driver, its interval, and the
// ratio to a base driver.
#pragma once

#include "report/samples.hpp"
#include "stats/summary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace skiff_bench {

struct cell {
    summary value;
    std::optional<summary> ratio;  ///< to the base, of the same rounds; above 1 is better
    bool is_best = false;          ///< no other driver's interval reaches this one's
};

struct table_line {
    std::string row;
    std::string metric;
    std::string unit;
    bool higher_is_better = true;
    std::vector<std::optional<cell>> cells;  ///< as `drivers`
};

struct result_table {
    std::vector<std::string> drivers;  ///< in the order in which they were run
    std::string base;
    std::vector<table_line> lines;
};

struct table_options {
    std::string base = "c";
    bool rates_only = true;  ///< without latencies
};

[[nodiscard]] result_table make_table(const std::vector<sample_file>& files,
                                      const table_options& options);
[[nodiscard]] std::string as_markdown(const result_table& table);
[[nodiscard]] std::string as_csv(const result_table& table);
[[nodiscard]] std::string as_json(const result_table& table);

}  // namespace skiff_bench
