// The suite `engine`: how fast SQL is computed. Ten jobs on one connection to a database in memory,
// one after the other, since later ones read what earlier ones made.
#pragma once

#include <string>
#include <vector>

namespace skiff_bench {

struct engine_job {
    std::string name;                 ///< the row of the suite
    std::vector<std::string> before;  ///< not timed
    std::vector<std::string> timed;
};

/// In the order in which they must run.
[[nodiscard]] const std::vector<engine_job>& engine_jobs();

}  // namespace skiff_bench
