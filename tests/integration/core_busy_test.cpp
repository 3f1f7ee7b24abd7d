// Two connections that want to write: busy, which waiting helps, told apart from busy_snapshot,
// which it never does (KB-C1, the half that is done by hand).
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <typeinfo>

namespace {

using namespace std::chrono_literals;
using skiff::transaction_mode;
using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::temp_dir;
using std::chrono::steady_clock;

class CoreBusy : public testing::Test {
  protected:
    CoreBusy() : first(skiff::connection::open(dir / "a.db")), second(open(50ms)) {
        first.exec("create table counter(n)");
        first.exec("insert into counter values (0)");
    }

    [[nodiscard]] skiff::connection open(std::chrono::milliseconds busy_timeout) {
        return skiff::connection::open(dir / "a.db", {.busy_timeout = busy_timeout});
    }

    temp_dir dir;
    skiff::connection first;
    skiff::connection second;
};

// KB-C1
TEST_F(CoreBusy, kb_c1_read_then_write_is_busy_snapshot_at_once) {
    auto fastest = steady_clock::duration::max();
    for (int round = 0; round < 10; ++round) {
        auto tx = first.begin(transaction_mode::deferred);
        const int read = tx.one<int>("select n from counter");
        second.exec("update counter set n = n + 1");
        const auto start = steady_clock::now();

        const auto failed = failure_of([&] { tx.exec("update counter set n = ?", read + 1); });

        fastest = std::min(fastest, steady_clock::now() - start);
        EXPECT_EQ(failed.code(), skiff::errc::busy);
        EXPECT_EQ(failed.extended_code(), SQLITE_BUSY_SNAPSHOT);
        EXPECT_EQ(failed.advice(),
                  "end this transaction and start again; begin transactions that "
                  "will write as immediate");
        EXPECT_TRUE(tx.is_open());
        EXPECT_EQ(tx.one<int>("select n from counter"), read);
    }

    EXPECT_LT(fastest, 5ms) << "the busy timeout is 5 s";
    EXPECT_EQ(first.one<int>("select n from counter"), 10);
}

// KB-C1
TEST_F(CoreBusy, kb_c1_busy_snapshot_and_busy_are_different_classes) {
    auto reader = first.begin(transaction_mode::deferred);
    EXPECT_EQ(reader.one<int>("select n from counter"), 0);
    second.exec("update counter set n = 1");
    const auto snapshot = [&] { reader.exec("update counter set n = 2"); };
    EXPECT_THROW(snapshot(), skiff::busy_snapshot);
    reader.rollback();

    auto writer = first.begin();
    try {
        second.exec("update counter set n = 3");
        FAIL() << "two writers at once";
    } catch (const skiff::busy& failed) {
        EXPECT_EQ(typeid(failed), typeid(skiff::busy));
        EXPECT_EQ(failed.advice(),
                  "another connection holds the lock: retry later, or open with a "
                  "longer busy_timeout");
    }
}

// KB-C1, its kind: busy waits for its time, and not longer.
TEST_F(CoreBusy, kb_c1_kind_busy_takes_the_busy_timeout) {
    auto writer = first.begin();
    const auto start = steady_clock::now();

    EXPECT_EQ(code_of([&] { return second.begin(); }), skiff::errc::busy);

    const auto waited = steady_clock::now() - start;
    EXPECT_GE(waited, 45ms);
    EXPECT_LT(waited, 3s);
}

// KB-C1, its kind: a lock that is given back in time.
TEST_F(CoreBusy, kb_c1_kind_immediate_waits_for_the_other_writer) {
    skiff_test::child_process other([this](skiff_test::child_channel& parent) -> std::string {
        auto cx = open(5000ms);
        auto tx = cx.begin();
        tx.exec("update counter set n = n + 1");
        parent.signal();
        if (!parent.wait()) return "left alone";
        tx.commit();
        return "committed";
    });
    ASSERT_TRUE(other.wait());
    other.signal();

    auto tx = first.begin();
    tx.exec("update counter set n = n + 1");
    tx.commit();

    EXPECT_EQ(other.join().answer, "committed");
    EXPECT_EQ(first.one<int>("select n from counter"), 2);
}

// KB-C1, its kind: `select` before `insert or ignore`.
TEST_F(CoreBusy, kb_c1_kind_select_before_insert_or_ignore_is_told_too) {
    first.exec("create table seen(id primary key)");
    auto tx = first.begin(transaction_mode::deferred);
    EXPECT_EQ(tx.one<int>("select count(*) from seen where id = 1"), 0);
    second.exec("insert or ignore into seen values (2)");

    EXPECT_THROW(tx.exec("insert or ignore into seen values (1)"), skiff::busy_snapshot);
}

// KB-C1, its kind: a loop over rows is a read transaction as well.
TEST_F(CoreBusy, kb_c1_kind_write_inside_a_loop_of_reads_is_told) {
    auto rows = first.rows<int>("select n from counter union all select 7");
    auto at = rows.begin();
    EXPECT_EQ(*at, 0);
    second.exec("update counter set n = 1");

    EXPECT_THROW(first.exec("update counter set n = 2"), skiff::busy_snapshot);

    rows.close();
    first.exec("update counter set n = 3");
    EXPECT_EQ(second.one<int>("select n from counter"), 3);
}

// KB-C1, its kind: a transaction that begins inside another one by mistake.
TEST_F(CoreBusy, kb_c1_kind_second_writer_in_one_thread_times_out_instead_of_hanging) {
    auto outer = first.begin();

    EXPECT_THROW(static_cast<void>(second.savepoint()), skiff::busy);

    outer.exec("update counter set n = 5");
    outer.commit();
    EXPECT_EQ(second.one<int>("select n from counter"), 5);
}

TEST_F(CoreBusy, readers_never_wait_for_a_writer) {
    auto impatient = open(0ms);
    auto writer = first.begin();
    writer.exec("update counter set n = 1");

    EXPECT_EQ(impatient.one<int>("select n from counter"), 0);

    writer.commit();
    EXPECT_EQ(impatient.one<int>("select n from counter"), 1);
}

TEST_F(CoreBusy, reader_keeps_its_snapshot_while_others_commit) {
    auto reader = second.begin(transaction_mode::deferred);
    EXPECT_EQ(reader.one<int>("select n from counter"), 0);

    for (int n = 1; n <= 5; ++n) first.exec("update counter set n = ?", n);

    EXPECT_EQ(reader.one<int>("select n from counter"), 0);
    reader.commit();
    EXPECT_EQ(second.one<int>("select n from counter"), 5);
}

}  // namespace
