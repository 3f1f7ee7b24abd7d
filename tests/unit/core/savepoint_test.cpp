// Savepoints: at top level (KB-T1), after a rollback (KB-T2), nested, out of order, moved (KB-T6),
// and the names that go into SQL (KB-T5).
#include "support/child_process.hpp"
#include "support/failure_of.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using skiff_test::code_of;
using skiff_test::failure_of;
using skiff_test::number_in;
using skiff_test::raw_database;
using skiff_test::temp_dir;

skiff::connection with_table(const std::filesystem::path& path = ":memory:") {
    auto cx = skiff::connection::open(path);
    cx.exec("create table t(x)");
    return cx;
}

std::vector<int> content(skiff::connection& cx) {
    return cx.all<int>("select x from t order by x");
}

// KB-T1
TEST(Savepoint, kb_t1_top_level_savepoint_leaves_no_transaction_open) {
    const temp_dir dir;
    static_cast<void>(with_table(dir / "a.db"));
    skiff_test::child_process writer([&](skiff_test::child_channel& parent) -> std::string {
        auto cx = skiff::connection::open(dir / "a.db");
        {
            auto undone = cx.savepoint();
            cx.exec("insert into t values (0)");
        }
        const std::string autocommit = cx.in_transaction() ? "open" : "autocommit";
        for (int i = 1; i <= 10; ++i) cx.exec("insert into t values (?)", i);
        parent.signal();
        if (!parent.wait()) return "left alone";
        return autocommit;  // and _exit, without closing the connection
    });
    ASSERT_TRUE(writer.wait());

    const auto while_it_runs = number_in(dir / "a.db", "select count(*) from t");
    writer.signal();
    const auto ended = writer.join();

    EXPECT_EQ(ended.answer, "autocommit");
    EXPECT_EQ(while_it_runs, 10);
    EXPECT_EQ(number_in(dir / "a.db", "select count(*) from t"), 10);
}

TEST(Savepoint, top_level_release_commits) {
    const temp_dir dir;
    auto cx = with_table(dir / "a.db");
    auto sp = cx.savepoint();
    cx.exec("insert into t values (1)");
    EXPECT_EQ(number_in(dir / "a.db", "select count(*) from t"), 0);

    sp.release();

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(number_in(dir / "a.db", "select count(*) from t"), 1);
}

// KB-T1, its kind: nested levels.
TEST(Savepoint, kb_t1_kind_nested_levels_end_with_their_scopes) {
    auto cx = with_table();
    {
        auto tx = cx.begin();
        tx.exec("insert into t values (1)");
        {
            auto a = tx.savepoint();
            tx.exec("insert into t values (2)");
            {
                auto b = cx.savepoint();
                tx.exec("insert into t values (3)");
                b.release();
            }
            {
                auto c = tx.savepoint();
                tx.exec("insert into t values (4)");
            }
            a.release();
        }
        tx.commit();
    }

    EXPECT_EQ(content(cx), (std::vector<int>{1, 2, 3}));
}

// KB-T1, its kind: a loop of 1000 savepoints.
TEST(Savepoint, kb_t1_kind_thousand_savepoints_leave_nothing_open) {
    auto cx = with_table();

    for (int i = 0; i < 1000; ++i) {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (?)", i);
        if (i % 10 == 0) sp.release();
    }

    EXPECT_FALSE(cx.in_transaction());
    EXPECT_EQ(cx.one<int>("select count(*) from t"), 100);
}

// KB-T1, its kind: the same 1000 inside each other.
TEST(Savepoint, kb_t1_kind_thousand_nested_savepoints_unwind) {
    auto cx = with_table();
    {
        std::vector<skiff::savepoint> all;
        for (int i = 0; i < 1000; ++i) {
            all.push_back(cx.savepoint());
            cx.exec("insert into t values (?)", i);
        }
        while (all.size() > 500) all.pop_back();
        EXPECT_EQ(cx.one<int>("select count(*) from t"), 500);
        while (!all.empty()) {
            all.back().release();
            all.pop_back();
        }
    }

    EXPECT_EQ(cx.one<int>("select count(*) from t"), 500);
    EXPECT_FALSE(cx.in_transaction());
}

// KB-T1, its kind: inside a transaction, what was not ended would pile up unseen.
TEST(Savepoint, kb_t1_kind_each_inner_savepoint_is_ended_by_a_release) {
    auto cx = with_table();
    auto tx = cx.begin();
    std::vector<std::string> seen;
    const auto note = [](unsigned, void* list, void*, void* sql) {
        static_cast<std::vector<std::string>*>(list)->emplace_back(static_cast<const char*>(sql));
        return 0;
    };
    sqlite3_trace_v2(cx.native_handle(), SQLITE_TRACE_STMT, note, &seen);

    {
        auto sp = tx.savepoint();
    }

    sqlite3_trace_v2(cx.native_handle(), 0, nullptr, nullptr);
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_TRUE(seen[0].starts_with("SAVEPOINT "));
    EXPECT_TRUE(seen[1].starts_with("ROLLBACK TO "));
    EXPECT_EQ(seen[2], "RELEASE " + seen[0].substr(10));
}

// KB-T2
TEST(Savepoint, kb_t2_work_after_a_manual_rollback_is_undone_at_scope_end) {
    auto cx = with_table();
    {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (1)");
        sp.rollback();
        EXPECT_TRUE(sp.is_open());
        cx.exec("insert into t values (2)");
    }

    EXPECT_EQ(content(cx), std::vector<int>{});
    EXPECT_FALSE(cx.in_transaction());
}

// KB-T2
TEST(Savepoint, kb_t2_release_after_a_manual_rollback_keeps_only_what_came_after) {
    auto cx = with_table();
    {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (1)");
        sp.rollback();
        cx.exec("insert into t values (2)");
        sp.release();
    }

    EXPECT_EQ(content(cx), std::vector<int>{2});
}

// KB-T2, its kind: the same inside a transaction.
TEST(Savepoint, kb_t2_kind_inner_savepoint_undoes_what_follows_its_rollback) {
    auto cx = with_table();
    auto tx = cx.begin();
    tx.exec("insert into t values (0)");
    {
        auto sp = tx.savepoint();
        tx.exec("insert into t values (1)");
        sp.rollback();
        sp.rollback();
        tx.exec("insert into t values (2)");
    }
    tx.commit();

    EXPECT_EQ(content(cx), std::vector<int>{0});
}

// KB-T2, its kind: calls after the end.
TEST(Savepoint, kb_t2_kind_calls_after_release_are_refused) {
    auto cx = with_table();
    auto sp = cx.savepoint();
    sp.release();

    const auto failed = failure_of([&] { sp.rollback(); });

    EXPECT_EQ(failed.code(), skiff::errc::misuse);
    EXPECT_EQ(failed.message(), "the savepoint has already ended");
    EXPECT_EQ(code_of([&] { sp.release(); }), skiff::errc::misuse);
    EXPECT_FALSE(sp.is_open());
}

// KB-T2, its kind: the outer guard ends before the inner one.
TEST(Savepoint, kb_t2_kind_outer_released_first_keeps_both) {
    auto cx = with_table();
    auto tx = cx.begin();
    {
        std::optional<skiff::savepoint> outer = tx.savepoint();
        tx.exec("insert into t values (1)");
        auto inner = tx.savepoint();
        tx.exec("insert into t values (2)");

        outer->release();

        EXPECT_NE(code_of([&] { inner.release(); }), skiff::errc::internal);
    }
    EXPECT_TRUE(tx.is_open());
    tx.commit();

    EXPECT_EQ(content(cx), (std::vector<int>{1, 2}));
}

// KB-T2, its kind: the outer one is rolled back first.
TEST(Savepoint, kb_t2_kind_outer_rolled_back_first_undoes_both) {
    auto cx = with_table();
    auto tx = cx.begin();
    tx.exec("insert into t values (0)");
    {
        auto outer = tx.savepoint();
        tx.exec("insert into t values (1)");
        auto inner = tx.savepoint();
        tx.exec("insert into t values (2)");

        outer.rollback();

        tx.exec("insert into t values (3)");
        outer.release();
    }
    tx.commit();

    EXPECT_EQ(content(cx), (std::vector<int>{0, 3}));
}

// KB-T2, its kind: the transaction is committed while a savepoint is open.
TEST(Savepoint, kb_t2_kind_commit_ends_open_savepoints) {
    auto cx = with_table();
    {
        auto tx = cx.begin();
        auto sp = tx.savepoint();
        tx.exec("insert into t values (1)");

        tx.commit();

        EXPECT_FALSE(sp.is_open());
    }

    EXPECT_EQ(content(cx), std::vector<int>{1});
}

// KB-T6
TEST(Savepoint, kb_t6_moved_savepoint_ends_exactly_once) {
    auto cx = with_table();
    {
        std::optional<skiff::savepoint> taken;
        {
            auto made = cx.savepoint();
            cx.exec("insert into t values (1)");
            taken = std::move(made);
            // NOLINTNEXTLINE(bugprone-use-after-move): it is what is tested
            EXPECT_FALSE(made.is_open());
        }
        EXPECT_TRUE(cx.in_transaction());
        taken->release();
    }

    EXPECT_EQ(content(cx), std::vector<int>{1});
}

// KB-T5: the names of Skiff's own savepoints cannot be met by chance.
TEST(Savepoint, kb_t5_users_savepoints_of_any_name_do_not_disturb) {
    auto cx = with_table();
    auto tx = cx.begin();
    auto sp = tx.savepoint();
    tx.exec("insert into t values (1)");

    tx.exec("savepoint \"a\"\"b;drop table t\"");
    tx.exec("insert into t values (2)");
    tx.exec("rollback to \"a\"\"b;drop table t\"");
    tx.exec("savepoint skiff_1");
    tx.exec("release skiff_1");
    sp.release();
    tx.commit();

    EXPECT_EQ(content(cx), std::vector<int>{1});
}

// KB-T5, its kind: every identifier we paste.
TEST(Savepoint, kb_t5_kind_odd_names_are_taken_as_they_are) {
    const std::vector<std::string> names = {"a\"b", "a'b", "a;drop table t", "ä b",
                                            std::string(1000, 'x')};
    for (const auto& name : names) {
        const temp_dir dir;
        const std::string file = name.substr(0, 200);
        auto cx = with_table(dir / (file + ".db"));
        auto other = skiff::connection::open(":memory:");
        std::string quoted = "\"";
        for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
        quoted += "\"";
        cx.exec("attach ':memory:' as " + quoted);
        cx.exec("create table " + quoted + "." + quoted + "(" + quoted + ")");
        cx.exec("insert into " + quoted + "." + quoted + " values (x'0102')");

        auto stream = cx.open_blob({name, name, 1, name});
        EXPECT_EQ(stream.size(), 2U);
        stream.close();
        cx.backup_to(other, {.source_schema = name});
        EXPECT_EQ(other.one<int>("select count(*) from " + quoted), 1);
        EXPECT_GT(cx.serialize(name).size(), 0U);
        cx.vacuum_into(dir / (file + " copy"));
        EXPECT_TRUE(std::filesystem::exists(dir / (file + " copy")));
        EXPECT_EQ(cx.one<int>("select count(*) from main.sqlite_schema where name = 't'"), 1);
    }
}

// KB-T5, its kind: names that mean nothing are an error that says so.
TEST(Savepoint, kb_t5_kind_unknown_names_are_named_in_the_error) {
    auto cx = with_table();
    auto other = skiff::connection::open(":memory:");

    const auto blob = failure_of([&] { return cx.open_blob({"t\"; drop table t", "x", 1}); });
    const auto copy = failure_of([&] { cx.backup_to(other, {.source_schema = "a\"b"}); });
    const auto bytes = failure_of([&] { return cx.serialize("a\"b"); });

    EXPECT_EQ(blob.object(), "main.t\"; drop table t.x rowid 1");
    EXPECT_EQ(blob.message(), "no such table: main.t\"; drop table t");
    EXPECT_EQ(copy.message(), "unknown database a\"b");
    EXPECT_EQ(bytes.code(), skiff::errc::generic);
    EXPECT_EQ(bytes.object(), "a\"b");
    EXPECT_EQ(cx.one<int>("select count(*) from sqlite_schema where name = 't'"), 1);
}

TEST(Savepoint, inner_one_after_the_outer_was_released_has_ended) {
    auto cx = with_table();
    auto tx = cx.begin();
    auto outer = tx.savepoint();
    auto inner = tx.savepoint();
    outer.release();

    EXPECT_EQ(code_of([&] { inner.rollback(); }), skiff::errc::misuse);
    EXPECT_EQ(code_of([&] { inner.release(); }), skiff::errc::misuse);
    EXPECT_TRUE(tx.is_open());
}

}  // namespace
