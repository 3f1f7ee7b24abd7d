// SKIFF_ENGINE_FEATURES comes from cmake/engine_processor.cmake, which lists what the compiler may
// use; this file itself is compiled for every processor.
#include "core/processor.hpp"

#include <skiff/error.hpp>

#include <algorithm>
#include <utility>

namespace skiff::detail {

namespace {

struct feature {
    std::string_view name;
    bool is_there;
};

// The question needs its name at compile time. Other processors than x86-64 have one level only.
#if defined(__x86_64__)
#define SKIFF_FEATURE(name) feature{name, __builtin_cpu_supports(name) != 0}
#else
#define SKIFF_FEATURE(name) \
    feature {               \
        name, true          \
    }
#endif

}  // namespace

bool processor_has(std::string_view name) noexcept {
    const feature known[] = {
        SKIFF_FEATURE("sse3"),
        SKIFF_FEATURE("ssse3"),
        SKIFF_FEATURE("sse4.1"),
        SKIFF_FEATURE("sse4.2"),
        SKIFF_FEATURE("popcnt"),
        SKIFF_FEATURE("avx"),
        SKIFF_FEATURE("avx2"),
        SKIFF_FEATURE("fma"),
        SKIFF_FEATURE("bmi"),
        SKIFF_FEATURE("bmi2"),
        SKIFF_FEATURE("avx512f"),
        SKIFF_FEATURE("avx512vl"),
        SKIFF_FEATURE("avx512bw"),
        SKIFF_FEATURE("avx512dq"),
        SKIFF_FEATURE("avx512cd"),
        SKIFF_FEATURE("avx512ifma"),
        SKIFF_FEATURE("avx512vbmi"),
        SKIFF_FEATURE("avx512vbmi2"),
        SKIFF_FEATURE("lzcnt"),
        SKIFF_FEATURE("movbe"),
        SKIFF_FEATURE("f16c"),
        SKIFF_FEATURE("gfni"),
        SKIFF_FEATURE("avx512vnni"),
        SKIFF_FEATURE("avx512bitalg"),
        SKIFF_FEATURE("avx512vpopcntdq"),
    };
    const auto* found = std::ranges::find(known, name, &feature::name);
    return found == std::end(known) || found->is_there;
}

std::string missing_features(std::string_view wanted, has_feature has) {
    std::string missing;
    while (!wanted.empty()) {
        const auto name = wanted.substr(0, wanted.find(' '));
        wanted.remove_prefix(std::min(name.size() + 1, wanted.size()));
        if (has(name)) continue;
        if (!missing.empty()) missing += ' ';
        missing += name;
    }
    return missing;
}

void check_processor(std::string_view wanted, has_feature has) {
    const auto missing = missing_features(wanted, has);
    if (missing.empty()) return;
    throw_error({.code = errc::unsupported,
                 .message = "SQLite was compiled for newer processors than this one, which lacks " +
                            missing,
                 .operation = "open",
                 .advice = "build Skiff with -DSKIFF_ENGINE_ARCH=baseline, or on this machine "
                           "with native"});
}

void check_processor() {
    [[maybe_unused]] static const bool asked = [] {
        check_processor(SKIFF_ENGINE_FEATURES, processor_has);
        return true;
    }();
}

}  // namespace skiff::detail
