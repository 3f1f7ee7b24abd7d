// Under each table stands what it was measured on.
#include "report/page.hpp"

#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace skiff_bench {

namespace {

constexpr std::string_view begin_mark = "<!-- skiff-bench ";
constexpr std::string_view end_mark = "<!-- end of skiff-bench -->";

/// "name: rounds" of a file's environment, in words.
std::string circumstances(const nlohmann::json& environment, std::size_t rounds) {
    return fmt::format(
        "Medians of {} rounds in turn; in brackets the ratio to `c` with its 95 % interval, bold "
        "where no other driver's interval reaches the best one's. SQLite {}, Skiff {} at commit "
        "{}, {}. {} cores of {}, Linux {}, {}: writing and syncing 4 KiB takes {:.0f} µs, a system "
        "call {:.0f} ns. {}.\n",
        rounds, environment.at("sqlite").get<std::string>(),
        environment.at("skiff").get<std::string>(), environment.at("commit").get<std::string>(),
        environment.at("compiler").get<std::string>(), environment.at("cores").get<int>(),
        environment.at("processor").get<std::string>(), environment.at("kernel").get<std::string>(),
        environment.at("file_system").get<std::string>(), environment.at("sync_us").get<double>(),
        environment.at("system_call_ns").get<double>(), environment.at("date").get<std::string>());
}

std::string block_of(const std::filesystem::path& file) {
    const auto found = read_samples(file);
    int rounds = 0;
    for (const auto& each : found.samples) rounds = std::max(rounds, each.round + 1);
    return as_markdown(make_table({found}, {})) + "\n" +
           circumstances(found.environment, static_cast<std::size_t>(rounds));
}

}  // namespace

std::string with_tables(const std::string& page, const std::filesystem::path& results) {
    std::string made;
    std::size_t at = 0;
    for (;;) {
        const auto begin = page.find(begin_mark, at);
        if (begin == std::string::npos) return made + page.substr(at);
        const auto name_at = begin + begin_mark.size();
        const auto name_end = page.find(" -->", name_at);
        const auto end = page.find(end_mark, begin);
        if (name_end == std::string::npos || end == std::string::npos) {
            throw std::runtime_error("a table of the page has no end: " + std::string(end_mark));
        }
        const auto name = page.substr(name_at, name_end - name_at);
        made += page.substr(at, name_end + 4 - at) + "\n" + block_of(results / name);
        at = end;
        made += end_mark;
        at += end_mark.size();
    }
}

}  // namespace skiff_bench
