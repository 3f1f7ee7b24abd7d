// The parsers behind `skiff stats`, on bytes made by hand: what is in order, and garbage.
#include "stats/database_look.hpp"
#include "stats/hints.hpp"
#include "stats/lock_holders.hpp"
#include "stats/lock_line.hpp"
#include "stats/rates.hpp"
#include "stats/wal_index_view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace skiff_test {
namespace {

using namespace skiff_cli;

using index_bytes = std::array<std::byte, wal_index_view::bytes>;

void put(index_bytes& content, std::size_t offset, std::uint32_t number) {
    std::memcpy(content.data() + offset, &number, sizeof number);
}

std::uint32_t get(const index_bytes& content, std::size_t offset) {
    std::uint32_t number = 0;
    std::memcpy(&number, content.data() + offset, sizeof number);
    return number;
}

/// A wal-index with 7 frames of 4096 bytes, 3 of them copied.
index_bytes good_index() {
    index_bytes content{};
    put(content, 0, 3007000);
    content[12] = std::byte{1};
    const std::uint16_t page_size = 4096;
    std::memcpy(content.data() + 14, &page_size, sizeof page_size);
    put(content, 16, 7);
    put(content, 20, 5);
    content[35] = std::byte{9};
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    for (std::size_t at = 0; at < 40; at += 8) {
        first += get(content, at) + second;
        second += get(content, at + 4) + first;
    }
    put(content, 40, first);
    put(content, 44, second);
    std::memcpy(content.data() + 48, content.data(), 48);
    put(content, 96, 3);
    put(content, 104, 7);
    put(content, 108, wal_index_view::mark_unused);
    put(content, 128, 4);
    return content;
}

TEST(StatsWalIndex, one_in_order_is_read) {
    const auto view = parse_wal_index(good_index());

    ASSERT_TRUE(view);
    EXPECT_EQ(view->page_size, 4096U);
    EXPECT_EQ(view->frames, 7U);
    EXPECT_EQ(view->database_pages, 5U);
    EXPECT_EQ(view->copied, 3U);
    EXPECT_EQ(view->copy_attempted, 4U);
    EXPECT_EQ(view->salts, (wal_salts{9, 0}));
    EXPECT_EQ(view->read_marks[1], 7U);
    EXPECT_EQ(view->read_marks[2], wal_index_view::mark_unused);
}

TEST(StatsWalIndex, short_empty_and_torn_ones_are_refused) {
    const auto good = good_index();
    EXPECT_FALSE(parse_wal_index({}));
    EXPECT_FALSE(parse_wal_index(std::span(good).first(135)));
    EXPECT_FALSE(parse_wal_index(index_bytes{}));
    for (std::size_t at = 0; at < 96; ++at) {
        auto torn = good;
        torn[at] ^= std::byte{0x40};
        EXPECT_FALSE(parse_wal_index(torn)) << at;
    }
}

TEST(StatsWalIndex, same_damage_in_both_copies_is_refused) {
    auto content = good_index();
    put(content, 16, 8);
    put(content, 64, 8);
    EXPECT_FALSE(parse_wal_index(content));
}

TEST(StatsWalIndex, more_copied_than_committed_is_refused) {
    auto content = good_index();
    put(content, 96, 8);
    EXPECT_FALSE(parse_wal_index(content));
}

TEST(StatsLockLine, both_kinds_of_locks_are_read) {
    const auto process =
        parse_lock_line("lock:\t1: POSIX  ADVISORY  READ  4711 08:01:42 1073741826 1073742335");
    const auto file = parse_lock_line("lock:\t2: OFDLCK ADVISORY  WRITE -1 00:1f:7 120 EOF");

    ASSERT_TRUE(process);
    EXPECT_EQ(process->strength, lock_strength::shared);
    EXPECT_EQ(process->range.first, 1073741826U);
    EXPECT_EQ(process->range.last, 1073742335U);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->strength, lock_strength::exclusive);
    EXPECT_EQ(file->range.first, 120U);
}

TEST(StatsLockLine, other_lines_are_passed_over) {
    for (const char* line : {
             "",
             "pos:\t0",
             "lock:",
             "lock:\t1: FLOCK  ADVISORY  WRITE 4711 08:01:42 0 EOF",
             "lock:\t1: POSIX  ADVISORY  WRITE 4711 08:01:42 x 12",
             "lock:\t1: POSIX  ADVISORY  WRITE 4711 08:01:42 12 -1",
             "lock:\t1: POSIX  ADVISORY  WRITE 4711 08:01:42 12 11",
             "lock:\t1: POSIX  ADVISORY  WRITE 4711 08:01:42 99999999999999999999 EOF",
         }) {
        EXPECT_FALSE(parse_lock_line(line)) << line;
    }
}

std::string names_in(file_part part, lock_strength strength, byte_range range) {
    std::string names;
    for (const auto& lock : locks_in(part, {strength, range})) names += lock.name + " ";
    return names;
}

TEST(StatsLockNames, ranges_have_the_names_of_sqlite) {
    using enum lock_strength;
    constexpr std::uint64_t pending = 0x40000000;
    EXPECT_EQ(names_in(file_part::database, exclusive, {pending, pending}), "PENDING ");
    EXPECT_EQ(names_in(file_part::database, exclusive, {pending + 1, pending + 1}), "RESERVED ");
    EXPECT_EQ(names_in(file_part::database, shared, {pending + 2, pending + 511}), "SHARED ");
    EXPECT_EQ(names_in(file_part::database, exclusive, {pending, pending + 511}),
              "PENDING RESERVED EXCLUSIVE ");
    EXPECT_EQ(names_in(file_part::shm, exclusive, {120, 121}), "WRITE CKPT ");
    EXPECT_EQ(names_in(file_part::shm, shared, {124, 124}), "READ1 ");
    EXPECT_EQ(names_in(file_part::shm, shared, {127, 128}), "READ4 DMS ");
    EXPECT_EQ(names_in(file_part::shm, exclusive, {120, 127}), "ALONE ");
    EXPECT_EQ(names_in(file_part::wal, exclusive, {120, 127}), "");
    EXPECT_EQ(names_in(file_part::shm, shared, {0, 119}), "");
}

TEST(StatsActivity, reader_that_begins_does_not_write) {
    lock_holder holder;
    holder.locks = {{"PENDING", lock_strength::shared}, {"SHARED", lock_strength::shared}};
    EXPECT_EQ(activity_of(holder, journal_kind::rollback), "reads");

    holder.locks = {{"PENDING", lock_strength::exclusive}, {"SHARED", lock_strength::shared}};
    EXPECT_EQ(activity_of(holder, journal_kind::rollback), "writes, waits for readers to end");
}

TEST(StatsHeader, garbage_is_no_database) {
    std::array<std::byte, file_header::bytes> content{};
    EXPECT_FALSE(parse_file_header(content));
    std::memcpy(content.data(), "SQLite format 3", 16);
    EXPECT_FALSE(parse_file_header(content)) << "a page size of 0";
    content[16] = std::byte{0x10};
    EXPECT_TRUE(parse_file_header(content));
    EXPECT_FALSE(parse_file_header(std::span(content).first(99)));
    content[17] = std::byte{0x10};
    EXPECT_FALSE(parse_file_header(content)) << "a page size of 4112";
}

/// A log of `frames` frames whose READ1 is in use at frame 1.
database_look look_with(std::uint32_t frames) {
    database_look seen;
    seen.path = "/a.db";
    seen.journal = journal_kind::wal;
    seen.index.exists = true;
    seen.index.view = wal_index_view{};
    seen.index.view->page_size = 4096;
    seen.index.view->frames = frames;
    seen.index.view->read_marks[1] = 1;
    seen.index.uses[wal_index_look::read + 1] = slot_use::shared;
    return seen;
}

TEST(StatsHints, reader_matters_only_for_a_long_log) {
    EXPECT_TRUE(hints_for(look_with(100)).empty());
    ASSERT_EQ(hints_for(look_with(20000)).size(), 1U);
}

TEST(StatsHints, alone_mode_says_nothing_of_single_readers) {
    auto seen = look_with(20000);
    seen.index.alone = true;
    EXPECT_TRUE(hints_for(seen).empty());
}

TEST(StatsRates, frames_count_until_the_log_begins_anew) {
    auto before = look_with(100);
    auto after = look_with(150);
    after.when = before.when + std::chrono::seconds(2);
    const auto rates = rates_between(before, after);
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->frames_per_second, 25.0);

    after.index.view->salts.first = 1;
    const auto anew = rates_between(before, after);
    ASSERT_TRUE(anew);
    EXPECT_EQ(anew->resets, 1U);
    EXPECT_FALSE(anew->frames_per_second);
}

}  // namespace
}  // namespace skiff_test
