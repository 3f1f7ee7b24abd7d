// A commit of one database object, as a value: to wait for it, or to read at least as new.
#pragma once

#include <compare>
#include <cstdint>

namespace skiff {

namespace detail {
struct database_state;
}

/// Names a commit made through a skiff::database in this process. A token that was never set stands
/// for "nothing yet". Immutable; copy freely between threads.
class commit_token {
  public:
    constexpr commit_token() noexcept = default;

    /// Grows with each commit of one database; tokens of different databases do not compare.
    [[nodiscard]] constexpr std::uint64_t sequence() const noexcept { return sequence_; }
    friend constexpr bool operator==(const commit_token&, const commit_token&) noexcept = default;

  private:
    friend struct detail::database_state;
    constexpr commit_token(std::uint64_t database, std::uint64_t sequence) noexcept
        : database_(database), sequence_(sequence) {}

    std::uint64_t database_ = 0;
    std::uint64_t sequence_ = 0;
};

}  // namespace skiff
