// Sample files: a line of JSON each. The first is the environment; the others are samples, one
// figure of one driver in one row and round.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace skiff_bench {

struct sample {
    std::string suite;
    std::string row;
    std::string driver;
    std::string metric;
    std::string unit;
    bool higher_is_better = true;
    double value = 0;
    int round = 0;
};

struct sample_file {
    nlohmann::json environment;
    std::vector<sample> samples;
};

/// Throws std::runtime_error with the file's name and the line.
[[nodiscard]] sample_file read_samples(const std::filesystem::path& path);

/// Appends; each line is on its way to the file when the call returns, so that a run that is
/// stopped keeps what it has. Throws std::runtime_error.
class sample_writer {
  public:
    /// An existing file is continued, and gets no second environment.
    sample_writer(const std::filesystem::path& path, const nlohmann::json& environment);
    void write(const sample& one, const nlohmann::json& settings);

  private:
    void write_line(const nlohmann::json& line);

    std::filesystem::path path_;
    std::ofstream file_;
};

}  // namespace skiff_bench
