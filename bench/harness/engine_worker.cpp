// Processor time is of the whole process: sorters may have threads of their own.
#include "harness/engine_worker.hpp"

#include "workloads/engine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sys/resource.h>

namespace skiff_bench {

namespace {

double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds_of = [](const timeval& time) {
        constexpr double microseconds = 1e6;
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / microseconds;
    };
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

nlohmann::json metric(const char* name, double seconds) {
    return {{"metric", name}, {"unit", "s"}, {"better", "lower"}, {"value", seconds}};
}

nlohmann::json run_job(engine_session& on, const engine_job& job) {
    for (const auto& sql : job.before) static_cast<void>(on.execute(sql));
    std::string digests;
    const double used = processor_seconds();
    const auto begun = std::chrono::steady_clock::now();
    for (const auto& sql : job.timed) digests += fmt::format("{:016x} ", on.execute(sql));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const double used_now = processor_seconds();
    return {{"row", job.name},
            {"digest", digests},
            {"metrics", {metric("wall", took.count()), metric("cpu", used_now - used)}}};
}

}  // namespace

nlohmann::json run_engine_jobs(const engine_driver& driver) {
    const auto on = driver.open();
    auto rows = nlohmann::json::array();
    for (const auto& job : engine_jobs()) rows.push_back(run_job(*on, job));
    return {{"settings", on->settings()}, {"rows", rows}};
}

}  // namespace skiff_bench
