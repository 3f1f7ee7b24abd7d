// A connection's prepared statements by their SQL text, least recently used first out.
#pragma once

#include <skiff/connection.hpp>
#include <skiff/detail/prepared.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace skiff::detail {

/// One thread at a time.
class statement_cache {
  public:
    explicit statement_cache(std::size_t capacity) noexcept;

    /// The statement for `sql` that is not running, or null.
    prepared* find(std::string_view sql) noexcept;
    /// Keeps `made` for later, when there is or can be made room for it; null when there is none
    /// (every cached statement runs, or the SQL is there already and runs).
    prepared* insert(std::string_view sql, std::unique_ptr<prepared>& made);
    /// Gives up a statement without destroying it; false when it is not one of the cache's.
    bool release(const prepared& held) noexcept;
    /// Drops all statements that do not run.
    void clear() noexcept;
    /// Hands over everything, running or not, and is empty.
    template <class Take>
    void drain(Take&& take) {
        by_sql_.clear();
        recent_.fill(entries_.end());
        for (auto& held : entries_) take(std::move(held.statement));
        entries_.clear();
    }
    [[nodiscard]] statement_cache_stats stats() const noexcept;

  private:
    struct entry {
        std::string sql;
        std::unique_ptr<prepared> statement;
    };
    struct sql_hash {
        std::size_t operator()(std::string_view sql) const noexcept;
    };
    using order = std::list<entry>;  // most recently used first

    /// Where a text was found last, by its address: most calls pass a literal, whose address tells
    /// it from the others without hashing it. The text is compared in any case.
    static constexpr std::size_t recent_count = 64;
    [[nodiscard]] order::iterator& recent(std::string_view sql) noexcept;
    order::iterator look_up(std::string_view sql) noexcept;

    bool evict_one() noexcept;
    order::iterator remove(order::iterator position) noexcept;

    std::size_t capacity_;
    order entries_;
    std::array<order::iterator, recent_count> recent_;  // end() where nothing is known
    std::unordered_map<std::string_view, order::iterator, sql_hash> by_sql_;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t evictions_ = 0;
};

/// Finalizes and forgets a statement that does not run.
void destroy(std::unique_ptr<prepared> statement) noexcept;

}  // namespace skiff::detail
