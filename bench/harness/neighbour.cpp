// It says "ready", works until its standard input ends, and answers with a line of JSON.
#include "harness/neighbour.hpp"

#include "drivers/c_api.hpp"
#include "harness/load.hpp"
#include "harness/programs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace skiff_bench {

namespace {

void say_ready_and_wait() {
    fmt::print("ready\n");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
}

}  // namespace

neighbour_process::neighbour_process(const throughput_row& row,
                                     const std::filesystem::path& database) {
    if (row.beside == neighbour::none) return;
    const std::vector<std::string> order{"neighbour", row.name, database.string()};
    process_.emplace(order, program_with("plain").value_or("/proc/self/exe"));
    if (process_->read_line() != "ready") throw driver_error("the second process did not start");
}

neighbour_done neighbour_process::finish() {
    if (!process_) return {};
    process_->end_input();
    const auto answer = process_->read_all();
    const int code = process_->finish();
    process_.reset();
    if (code != 0) throw driver_error(fmt::format("the second process ended with {}", code));
    const auto told = nlohmann::json::parse(answer);
    return {.reads = told.at("reads"), .writes = told.at("writes"), .seconds = told.at("seconds")};
}

int run_neighbour(const throughput_row& row, const std::filesystem::path& database) {
    use_all_cores();
    const auto with = open_c({database, row.level, row.pages});
    const auto first = with->open_session();
    if (!first->read(1)) throw driver_error("the second process read wrongly");
    work_done done;
    if (row.beside == neighbour::busy) {
        load work(*with, row);
        work.begin();
        say_ready_and_wait();
        done = work.finish();
    } else {
        say_ready_and_wait();
    }
    const nlohmann::json told{
        {"reads", done.reads}, {"writes", done.writes}, {"seconds", done.seconds}};
    fmt::print("{}\n", told.dump());
    return 0;
}

}  // namespace skiff_bench
