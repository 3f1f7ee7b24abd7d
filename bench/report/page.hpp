// A page with tables in it: between two markers stands what a sample file says, and nobody types
// it.
//
//     <!-- skiff-bench throughput.jsonl -->
//     …
//     <!-- end of skiff-bench -->
#pragma once

#include <filesystem>
#include <string>

namespace skiff_bench {

/// The page with every table made anew from the files of `results`. Throws std::runtime_error for a
/// marker without its end, and for files that cannot be read.
[[nodiscard]] std::string with_tables(const std::string& page,
                                      const std::filesystem::path& results);

}  // namespace skiff_bench
