// Every I/O call of a whole session fails in turn, once and for ever, until the session runs clean:
// typed errors, no crash, a sound file afterwards, and every acknowledged commit in it.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff_test::fault_scope;
using skiff_test::how_long;
using skiff_test::integrity_of;
using skiff_test::io_call;
using skiff_test::open_descriptors;
using skiff_test::raw_database;
using skiff_test::temp_dir;

struct outcome {
    std::set<int> stored;
    std::set<int> refused;  ///< reported as not stored
    std::vector<skiff::errc> codes;
};

/// Runs one write and notes what its caller was told.
template <class Work>
void attempt_row(outcome& told, int id, Work work) {
    const auto done = skiff::attempt(work);
    if (done) {
        told.stored.insert(id);
        return;
    }
    told.codes.push_back(done.error().code());
    if (done.error().code() != skiff::errc::outcome_unknown) told.refused.insert(id);
}

void write_rows(skiff::connection& cx, outcome& told) {
    for (int id = 1; id <= 3; ++id) {
        attempt_row(told, id, [&] { cx.exec("insert into t values (?, zeroblob(3000))", id); });
    }
    attempt_row(told, 4, [&] {
        auto tx = cx.begin();
        tx.exec("insert into t values (4, 'a')");
        {
            auto undone = tx.savepoint();
            tx.exec("insert into t values (-1, zeroblob(20000))");
        }
        tx.exec("update t set x = 'b' where id = 4");
        tx.commit();
    });
    attempt_row(told, 5, [&] {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (5, 'a')");
        sp.release();
    });
}

/// Opens, creates, writes, checkpoints, reads, closes.
outcome session(const std::filesystem::path& path, skiff::journal_mode journal) {
    outcome told;
    const auto all = skiff::attempt([&] {
        auto cx = skiff::connection::open(
            path, {.journal = journal, .page_cache_kib = 20, .vfs = skiff_test::fault_vfs_name()});
        cx.exec("create table if not exists t(id integer primary key, x)");
        write_rows(cx, told);
        const auto checkpoint = skiff::attempt([&] { cx.exec("pragma wal_checkpoint(truncate)"); });
        if (!checkpoint) told.codes.push_back(checkpoint.error().code());
        attempt_row(told, 6, [&] { cx.exec("insert into t values (6, 'last')"); });
        const auto count = skiff::attempt([&] { return cx.one<int>("select count(*) from t"); });
        if (!count) told.codes.push_back(count.error().code());
        EXPECT_FALSE(cx.in_transaction());
        cx.close();
    });
    if (!all) told.codes.push_back(all.error().code());
    return told;
}

/// Codes that an I/O error may end in.
bool is_expected(skiff::errc code) {
    constexpr std::array expected = {skiff::errc::io,
                                     skiff::errc::cannot_open,
                                     skiff::errc::full,
                                     skiff::errc::poisoned,
                                     skiff::errc::outcome_unknown,
                                     skiff::errc::misuse};  // a guard whose transaction is gone
    return std::ranges::find(expected, code) != expected.end();
}

void expect_sound(const std::filesystem::path& path,
                  const outcome& told,
                  const std::string& where) {
    for (const auto code : told.codes) {
        EXPECT_TRUE(is_expected(code)) << where << ": " << skiff::name_of(code);
    }
    if (!std::filesystem::exists(path)) {
        EXPECT_TRUE(told.stored.empty()) << where;
        return;
    }
    ASSERT_EQ(integrity_of(path), "ok") << where;
    raw_database db(path);
    if (db.number("select count(*) from sqlite_schema") == 0) {
        EXPECT_TRUE(told.stored.empty()) << where;
        return;
    }
    std::set<int> found;
    for (const auto& id : db.column("select id from t")) found.insert(std::stoi(id));
    for (const int id : told.stored) EXPECT_TRUE(found.contains(id)) << where << ": lost " << id;
    for (const int id : told.refused) EXPECT_FALSE(found.contains(id)) << where << ": kept " << id;
    EXPECT_FALSE(found.contains(-1)) << where;
}

/// The session with each call of one kind failing in turn; returns how many there are.
int fail_each(io_call call, how_long lasts, skiff::journal_mode journal, int code = 0) {
    const temp_dir dir;
    for (int nth = 1;; ++nth) {
        const auto path = dir / ("a" + std::to_string(nth) + ".db");
        outcome told;
        bool fired = false;
        {
            const fault_scope broken({.call = call, .nth = nth, .code = code, .lasts = lasts});
            told = session(path, journal);
            fired = broken.fired();
        }
        expect_sound(path, told, "call " + std::to_string(nth));
        if (testing::Test::HasFailure()) return nth;
        if (!fired) {
            EXPECT_EQ(told.stored.size(), 6U);
            return nth - 1;
        }
        for (const char* end : {"", "-wal", "-shm", "-journal"}) {
            std::filesystem::remove(path.string() + end);
        }
    }
}

struct io_case {
    io_call call;
    how_long lasts;
    skiff::journal_mode journal;
};

std::string name_of(const io_case& each) {
    constexpr const char* calls[] = {"open", "access", "remove", "read",    "write", "truncate",
                                     "sync", "size",   "lock",   "shm_map", "any"};
    return std::string(calls[static_cast<int>(each.call)]) +
           (each.lasts == how_long::once ? "_once" : "_for_ever") +
           (each.journal == skiff::journal_mode::wal ? "_wal" : "_rollback");
}

void PrintTo(const io_case& each, std::ostream* out) {
    *out << name_of(each);
}

std::vector<io_case> all_cases() {
    std::vector<io_case> all;
    for (const auto lasts : {how_long::once, how_long::for_ever}) {
        for (const auto call : {io_call::open, io_call::access, io_call::read, io_call::write,
                                io_call::sync, io_call::size, io_call::lock}) {
            all.push_back({call, lasts, skiff::journal_mode::wal});
            all.push_back({call, lasts, skiff::journal_mode::rollback});
        }
        all.push_back({io_call::truncate, lasts, skiff::journal_mode::wal});
        all.push_back({io_call::shm_map, lasts, skiff::journal_mode::wal});
        all.push_back({io_call::remove, lasts, skiff::journal_mode::rollback});
    }
    return all;
}

class CoreIoFault : public testing::TestWithParam<io_case> {};

TEST_P(CoreIoFault, each_call_fails_and_no_acknowledged_commit_is_lost) {
    const auto [call, lasts, journal] = GetParam();
    const int before = open_descriptors();

    const int calls = fail_each(call, lasts, journal);

    RecordProperty("calls", calls);
    EXPECT_GT(calls, 0);
    EXPECT_EQ(open_descriptors(), before);
}

INSTANTIATE_TEST_SUITE_P(Session,
                         CoreIoFault,
                         testing::ValuesIn(all_cases()),
                         [](const auto& each) { return name_of(each.param); });

TEST(CoreIoFaultFull, each_write_meets_a_full_disk_and_no_acknowledged_commit_is_lost) {
    for (const auto lasts : {how_long::once, how_long::for_ever}) {
        EXPECT_GT(fail_each(io_call::write, lasts, skiff::journal_mode::wal, SQLITE_FULL), 0);
        EXPECT_GT(fail_each(io_call::write, lasts, skiff::journal_mode::rollback, SQLITE_FULL), 0);
    }
}

}  // namespace
