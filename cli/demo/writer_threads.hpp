// Many threads that each insert one row after the other through one contender.
#pragma once

#include "demo/contender.hpp"

#include <chrono>
#include <cstdint>
#include <stop_token>

namespace skiff_cli {

struct writers_result {
    std::int64_t in_time = 0;  ///< rows whose insert returned before the time was up
    std::int64_t all = 0;      ///< rows inserted, those that came too late included
};

/// `threads` threads insert for `span`, or until a stop is requested. Throws what a thread threw.
writers_result write_for(contender& target,
                         unsigned threads,
                         std::chrono::duration<double> span,
                         std::stop_token stop);

/// `threads` threads insert `rows_each` rows, the same ones for every contender.
void write_rows(contender& target, unsigned threads, unsigned rows_each);

}  // namespace skiff_cli
