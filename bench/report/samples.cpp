// nlohmann/json checks what is read; a field that is missing names itself.
#include "report/samples.hpp"

#include <stdexcept>

namespace skiff_bench {

namespace {

sample sample_of(const nlohmann::json& line) {
    return {.suite = line.at("suite"),
            .row = line.at("row"),
            .driver = line.at("driver"),
            .metric = line.at("metric"),
            .unit = line.at("unit"),
            .higher_is_better = line.at("better") == "higher",
            .value = line.at("value"),
            .round = line.at("round")};
}

}  // namespace

sample_file read_samples(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path.string() + " cannot be read");
    sample_file found;
    std::size_t number = 0;
    for (std::string text; std::getline(file, text);) {
        ++number;
        if (text.empty()) continue;
        try {
            const auto line = nlohmann::json::parse(text);
            if (line.contains("environment")) {
                found.environment = line["environment"];
            } else {
                found.samples.push_back(sample_of(line));
            }
        } catch (const nlohmann::json::exception& wrong) {
            throw std::runtime_error(path.string() + ", line " + std::to_string(number) + ": " +
                                     wrong.what());
        }
    }
    return found;
}

sample_writer::sample_writer(const std::filesystem::path& path, const nlohmann::json& environment)
    : path_(path) {
    const bool is_new = !std::filesystem::exists(path) || std::filesystem::file_size(path) == 0;
    file_.open(path, std::ios::app);
    if (!file_) throw std::runtime_error(path.string() + " cannot be written");
    if (is_new) write_line({{"environment", environment}});
}

void sample_writer::write(const sample& one, const nlohmann::json& settings) {
    nlohmann::json line{
        {"suite", one.suite},   {"row", one.row},
        {"driver", one.driver}, {"metric", one.metric},
        {"unit", one.unit},     {"better", one.higher_is_better ? "higher" : "lower"},
        {"value", one.value},   {"round", one.round},
        {"answers", "ok"}};
    if (!settings.empty()) line["settings"] = settings;
    write_line(line);
}

void sample_writer::write_line(const nlohmann::json& line) {
    file_ << line.dump() << '\n' << std::flush;
    if (!file_) throw std::runtime_error(path_.string() + " cannot be written");
}

}  // namespace skiff_bench
