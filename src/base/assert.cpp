// The end of a program that broke a contract.
#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace skiff {

void fail_assertion(const char* file, int line, const char* message) noexcept {
    std::fputs("skiff: ", stderr);
    std::fputs(message, stderr);
    std::fputs(" [", stderr);
    std::fputs(file, stderr);
    std::fprintf(stderr, ":%d]\n", line);
    std::abort();
}

}  // namespace skiff
