// The rounds of the demo's comparison: answers first, then both contenders in turn, again and
// again, and what the samples say. Knows nothing of SQL or of how a contender works.
#pragma once

#include "demo/contender.hpp"
#include "signals.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace skiff_cli {

/// Middle, smallest and largest of a row's samples.
struct spread {
    double median = 0;
    double min = 0;
    double max = 0;
};
[[nodiscard]] spread spread_of(std::vector<double> samples);

/// One thing measured: rows a second, a sample a round, the n-th of both from the same round.
struct measured_row {
    std::string name;
    std::vector<double> plain_c;
    std::vector<double> skiff;

    /// Skiff against plain C, compared within each round: above 1 means Skiff is faster.
    [[nodiscard]] spread ratio() const;
};

struct measure_options {
    unsigned rounds = 7;
    unsigned writers = 64;
    std::chrono::duration<double> budget{14};  ///< for all slices together
    std::int64_t packages = 0;                 ///< ids are 1 to this
};

/// Checks that both run with the same settings and give the same answers, then times them. Throws
/// std::runtime_error when they differ, interrupted_by_user on Ctrl-C. Shows progress on stderr.
std::vector<measured_row> measure(contender& plain_c,
                                  contender& skiff,
                                  const measure_options& options,
                                  const interrupt_scope& interrupts);

}  // namespace skiff_cli
