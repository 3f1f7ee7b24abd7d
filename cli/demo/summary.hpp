// What the demo found, and how it is told: as text for people, part by part, and as one JSON object
// for programs.
#pragma once

#include "demo/environment.hpp"
#include "demo/measure.hpp"
#include "demo/package_import.hpp"
#include "demo/package_index.hpp"
#include "demo/questions.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace skiff_cli {

struct demo_results {
    package_input input;
    unsigned import_threads = 0;
    import_result imported;
    std::vector<answered_question> questions;
    machine where;
    measure_options measuring;
    std::vector<measured_row> measures;
    std::filesystem::path database;
    std::uint64_t database_bytes = 0;
    std::chrono::nanoseconds took{};
};

// Text, each part ending with a newline.
[[nodiscard]] std::string input_text(const demo_results& results);
[[nodiscard]] std::string import_text(const demo_results& results);
[[nodiscard]] std::string question_text(const answered_question& question);
[[nodiscard]] std::string measures_text(const demo_results& results);
/// Where the file is and what to type to explore it; `program` is how the user calls skiff.
[[nodiscard]] std::string explore_text(const demo_results& results, const std::string& program);

/// Everything, indented, ending with a newline.
[[nodiscard]] std::string as_json(const demo_results& results);

}  // namespace skiff_cli
