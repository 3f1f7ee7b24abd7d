// Lookup by text with a cheap hash, and eviction of the least recently used idle statement.
#include "core/statement_cache.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace skiff::detail {

statement_cache::statement_cache(std::size_t capacity) noexcept : capacity_(capacity) {
    recent_.fill(entries_.end());
}

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

statement_cache::order::iterator& statement_cache::recent(std::string_view sql) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(sql.data());
    return recent_[(address ^ (address >> 6) ^ sql.size()) % recent_count];
}

statement_cache::order::iterator statement_cache::look_up(std::string_view sql) noexcept {
    auto& guess = recent(sql);
    if (guess != entries_.end() && guess->sql == sql) [[likely]]
        return guess;
    const auto found = by_sql_.find(sql);
    if (found == by_sql_.end()) return entries_.end();
    guess = found->second;
    return guess;
}

prepared* statement_cache::find(std::string_view sql) noexcept {
    const auto position = look_up(sql);
    if (position == entries_.end() || position->statement->running) [[unlikely]] {
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

statement_cache::order::iterator statement_cache::remove(order::iterator position) noexcept {
    std::ranges::replace(recent_, position, entries_.end());
    by_sql_.erase(position->sql);
    return entries_.erase(position);
}

bool statement_cache::evict_one() noexcept {
    for (auto at = entries_.end(); at != entries_.begin();) {
        --at;
        if (at->statement->running) continue;
        destroy(std::move(at->statement));
        remove(at);
        ++evictions_;
        return true;
    }
    return false;
}

bool statement_cache::release(const prepared& held) noexcept {
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (at->statement.get() != &held) continue;
        static_cast<void>(at->statement.release());
        remove(at);
        return true;
    }
    return false;
}

void statement_cache::clear() noexcept {
    for (auto at = entries_.begin(); at != entries_.end();) {
        if (at->statement->running) {
            ++at;
            continue;
        }
        destroy(std::move(at->statement));
        at = remove(at);
    }
}

statement_cache_stats statement_cache::stats() const noexcept {
    return {hits_, misses_, evictions_, entries_.size(), capacity_};
}

}  // namespace skiff::detail
