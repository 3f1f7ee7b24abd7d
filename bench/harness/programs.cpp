// Beside this program: where its build put them.
#include "harness/programs.hpp"

#include <filesystem>
#include <unistd.h>

namespace skiff_bench {

namespace {

constexpr const char* self = "/proc/self/exe";

/// This program's own build; SKIFF_BENCH_ENGINE is "plain" where the library's is.
constexpr std::string_view own_engine = SKIFF_BENCH_ENGINE;

}  // namespace

std::optional<std::string> program_with(std::string_view engine) {
    if (engine == own_engine || engine == "ours") return self;
    std::error_code none;
    const auto folder = std::filesystem::read_symlink(self, none).parent_path();
    const auto program = folder / ("skiff-bench-" + std::string(engine));
    if (::access(program.c_str(), X_OK) != 0) return std::nullopt;
    return program.string();
}

}  // namespace skiff_bench
