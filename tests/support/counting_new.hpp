// Counts this thread's calls of operator new, and lets them fail. Using it links counting_new.cpp,
// which replaces every form of operator new in the whole test executable.
#pragma once

#include <cstdint>

namespace skiff_test {

/// Calls of any operator new by this thread so far.
[[nodiscard]] std::uint64_t allocations() noexcept;
/// The n-th call by this thread from now on fails, and those after it if wanted; 0: none does.
void fail_allocations(std::uint64_t nth, bool from_then_on) noexcept;

/// Counts from its construction on.
class allocation_count {
  public:
    allocation_count() noexcept : before_(allocations()) {}
    [[nodiscard]] std::uint64_t so_far() const noexcept { return allocations() - before_; }

  private:
    std::uint64_t before_;
};

}  // namespace skiff_test
