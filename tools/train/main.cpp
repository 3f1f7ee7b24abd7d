// skiff_train WORK_FOLDER SCRATCH_FOLDER: runs every kind of work once. SQLite is compiled with
// counters, which its run-time writes when the program ends; tools/train/make_profile starts this.
#include "kinds.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>

namespace train {

namespace {

struct kind {
    const char* name;
    void (*run)(const task&);
};

constexpr std::array<kind, 8> kinds{{{"shop", shop},
                                     {"weather", weather},
                                     {"mail", mail},
                                     {"places", places},
                                     {"staff", staff},
                                     {"documents", documents},
                                     {"library", library},
                                     {"files", files}}};

double seconds_of(const kind& one, const task& given) {
    const auto start = std::chrono::steady_clock::now();
    one.run(given);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Programs that prepare each statement anew spend their time in the parser and the planner.
void prepare_everything(const work_file& work) {
    session db(work, ":memory:");
    db.all("schema");
    for (int round = 0; round < 1'500; ++round) {
        for (const auto& [name, sql] : work.parts()) {
            // These need tables that other parts make.
            const bool alone = !sql.starts_with("drop") && !sql.starts_with("alter") &&
                               !sql.starts_with("vacuum") &&
                               sql.find("store") == std::string::npos &&
                               sql.find("old_book") == std::string::npos && name != "schema";
            if (alone) db.prepare_only(sql);
        }
    }
}

int run(const std::string& work_folder, const std::string& scratch) {
    std::uint64_t seed = 20'260'101;
    std::map<std::string, work_file> all;
    for (const auto& one : kinds) all.emplace(one.name, work_folder + "/" + one.name + ".sql");
    for (const auto& one : kinds) {
        words random(seed++);
        const auto seconds = seconds_of(one, {all.at(one.name), random, scratch});
        std::printf("  %-10s %5.1f s\n", one.name, seconds);
        std::fflush(stdout);
    }
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [name, work] : all) prepare_everything(work);
    const auto took = std::chrono::steady_clock::now() - start;
    std::printf("  %-10s %5.1f s\n", "prepare", std::chrono::duration<double>(took).count());
    return 0;
}

}  // namespace

}  // namespace train

int main(int count, char** arguments) try {
    if (count != 3) {
        std::fprintf(stderr, "usage: skiff_train WORK_FOLDER SCRATCH_FOLDER\n");
        return 2;
    }
    return train::run(arguments[1], arguments[2]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "skiff_train: %s\n", error.what());
    return 1;
}
