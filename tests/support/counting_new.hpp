// Counts this thread's calls of operator new. Using it links counting_new.cpp, which replaces every
// form of operator new in the whole test executable.
#pragma once

#include <cstdint>

namespace skiff_test {

/// Calls of any operator new by this thread so far.
[[nodiscard]] std::uint64_t allocations() noexcept;

/// Counts from its construction on.
class allocation_count {
  public:
    allocation_count() noexcept : before_(allocations()) {}
    [[nodiscard]] std::uint64_t so_far() const noexcept { return allocations() - before_; }

  private:
    std::uint64_t before_;
};

}  // namespace skiff_test
