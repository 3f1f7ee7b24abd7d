// Lookup by text with a cheap hash, and eviction of the least recently used idle statement.
#include "core/statement_cache.hpp"

#include <cstring>
#include <utility>

namespace skiff::detail {

statement_cache::statement_cache(std::size_t capacity) noexcept : capacity_(capacity) {}

std::size_t statement_cache::sql_hash::operator()(std::string_view sql) const noexcept {
    // SQL texts of one program differ in length and somewhere in their words; eight bytes at a
    // time with a multiply and a fold is enough to tell them apart and costs a few nanoseconds.
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd
    const char* at = sql.data();
    std::size_t left = sql.size();
    std::uint64_t state = left * factor;
    for (; left >= sizeof(std::uint64_t); at += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        state = (state ^ word) * factor;
        state ^= state >> 32;
    }
    std::uint64_t tail = 0;
    std::memcpy(&tail, at, left);
    state = (state ^ tail) * factor;
    return state ^ (state >> 32);
}

prepared* statement_cache::find(std::string_view sql) noexcept {
    const auto found = by_sql_.find(sql);
    if (found == by_sql_.end()) {
        ++misses_;
        return nullptr;
    }
    const auto position = found->second;
    if (position->statement->running) {
        ++misses_;
        return nullptr;
    }
    ++hits_;
    if (position != entries_.begin()) entries_.splice(entries_.begin(), entries_, position);
    return position->statement.get();
}

prepared* statement_cache::insert(std::string_view sql, std::unique_ptr<prepared>& made) {
    if (capacity_ == 0 || by_sql_.contains(sql)) return nullptr;
    if (entries_.size() >= capacity_ && !evict_one()) return nullptr;
    entries_.push_front({std::string(sql), nullptr});
    try {
        by_sql_.emplace(entries_.front().sql, entries_.begin());
    } catch (...) {
        entries_.pop_front();
        throw;
    }
    entries_.front().statement = std::move(made);
    return entries_.front().statement.get();
}

bool statement_cache::evict_one() noexcept {
    for (auto at = entries_.end(); at != entries_.begin();) {
        --at;
        if (at->statement->running) continue;
        by_sql_.erase(at->sql);
        destroy(std::move(at->statement));
        entries_.erase(at);
        ++evictions_;
        return true;
    }
    return false;
}

bool statement_cache::release(const prepared& held) noexcept {
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (at->statement.get() != &held) continue;
        by_sql_.erase(at->sql);
        static_cast<void>(at->statement.release());
        entries_.erase(at);
        return true;
    }
    return false;
}

void statement_cache::clear() noexcept {
    for (auto at = entries_.begin(); at != entries_.end();) {
        const auto here = at++;
        if (here->statement->running) continue;
        by_sql_.erase(here->sql);
        destroy(std::move(here->statement));
        entries_.erase(here);
    }
}

statement_cache_stats statement_cache::stats() const noexcept {
    return {hits_, misses_, evictions_, entries_.size(), capacity_};
}

}  // namespace skiff::detail
