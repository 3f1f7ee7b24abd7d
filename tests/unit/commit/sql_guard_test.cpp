// SQL that a write closure may not run, because it would change what the writer connection owes to
// other callers (D6): refused at that call, neighbours unharmed. And SQL that it may run.
#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::errc;
using skiff::transaction;
using strings = std::vector<std::string>;

/// One statement and the name of the error that refuses it.
struct refused_sql {
    const char* name;
    const char* sql;
    const char* error = "SKIFF_REFUSED";
};

constexpr refused_sql all_refused[] = {
    {"commit", "commit"},
    {"end", "end"},
    {"end_transaction", "end transaction"},
    {"rollback", "rollback"},
    {"begin", "begin"},
    {"begin_immediate", "begin immediate"},
    {"savepoint", "savepoint x"},
    {"release", "release x"},
    {"rollback_to", "rollback to x"},
    {"commit_in_a_comment_and_capitals", "/* now */ CoMmIt -- really"},
    {"attach", "attach ':memory:' as other"},
    {"detach", "detach main"},
    {"pragma_journal_mode", "pragma journal_mode=delete"},
    {"pragma_journal_mode_of_main", "pragma main.journal_mode=off"},
    {"pragma_journal_mode_call", "pragma journal_mode(memory)"},
    {"pragma_locking_mode", "pragma locking_mode=exclusive"},
    {"pragma_query_only", "pragma query_only=1"},
    {"pragma_synchronous", "pragma synchronous=off"},
    {"pragma_foreign_keys", "pragma foreign_keys=off"},
    {"pragma_busy_timeout", "pragma busy_timeout=1"},
    {"pragma_cache_size", "pragma cache_size=1"},
    {"pragma_recursive_triggers", "pragma recursive_triggers=1"},
    {"pragma_writable_schema", "pragma writable_schema=1"},
    {"pragma_wal_checkpoint", "pragma wal_checkpoint"},
    {"pragma_wal_checkpoint_truncate", "pragma wal_checkpoint(truncate)"},
    {"pragma_wal_autocheckpoint", "pragma wal_autocheckpoint=0"},
    {"pragma_optimize", "pragma optimize"},
    {"pragma_incremental_vacuum", "pragma incremental_vacuum"},
    {"pragma_schema_version", "pragma schema_version=77"},
    {"create_temp_table", "create temp table other(x)"},
    {"create_table_in_temp", "create table temp.other(x)"},
    {"create_view_in_temp", "create view temp.other as select 1"},
    {"create_trigger_in_temp", "create trigger temp.other after insert on t begin select 1; end"},
    {"create_virtual_table_in_temp", "create virtual table temp.other using fts5(x)"},
    {"create_temp_table_as", "create temp table other as select 1 as x"},
    {"create_temp_view", "create temp view other as select 1"},
    {"create_temp_trigger", "create temp trigger other after insert on t begin select 1; end"},
    {"vacuum", "vacuum"},
    {"vacuum_into", "vacuum into 'other.db'"},
    {"insert_or_rollback", "insert or rollback into t(id) values (9)"},
    {"update_or_rollback", "update or rollback t set v = 9"},
    {"or_rollback_over_lines", "insert\nOR /* or */ -- or\n RollBack\ninto t(id) values (9)"},
    {"on_conflict_rollback", "create table other(k unique on conflict rollback)"},
};

std::string name_of_case(const testing::TestParamInfo<refused_sql>& given) {
    return given.param.name;
}

std::ostream& operator<<(std::ostream& out, const refused_sql& shown) {
    return out << shown.sql;
}

class GuardRefuses : public testing::TestWithParam<refused_sql> {
  protected:
    GuardRefuses() { db.exec("create table t(id integer primary key, v)"); }

    temp_dir folder;
    skiff::database db = skiff::database::open(folder / "app.db", without_disk());
};
INSTANTIATE_TEST_SUITE_P(Sql, GuardRefuses, testing::ValuesIn(all_refused), name_of_case);

TEST_P(GuardRefuses, d6_refused_at_the_call_and_neighbours_unharmed) {  // KB-T4
    ending at_the_call;
    write_line line(db);
    line.add(
        [this] { db.write([](transaction& tx) { tx.exec("insert into t(id) values (1)"); }); });
    line.add([&] {
        db.write([&](transaction& tx) {
            tx.exec("insert into t(id) values (2)");
            at_the_call = ending_of([&] { tx.exec(GetParam().sql); });
            tx.exec("insert into t(id) values (22)");
        });
    });
    line.add(
        [this] { db.write([](transaction& tx) { tx.exec("insert into t(id) values (3)"); }); });

    const auto endings = line.finish();

    EXPECT_EQ(at_the_call.name(), GetParam().error) << at_the_call;
    EXPECT_EQ(names_of(endings), strings(3, "ok"));
    EXPECT_EQ(db.all<int>("select id from t order by id"), (std::vector{1, 2, 3, 22}));
    EXPECT_EQ(db.stats().batch_writes_max, 3U);
}

TEST_P(GuardRefuses, d6_refused_in_a_script_too) {
    const auto failure = failure_of([&] {
        db.write([](transaction& tx) {
            tx.exec_script(std::string("insert into t(id) values (2); ") + GetParam().sql +
                           "; insert into t(id) values (3)");
        });
    });

    EXPECT_EQ(skiff::name_of(failure.code()), std::string(GetParam().error));
    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
}

TEST_P(GuardRefuses, d6_refused_as_a_statement_of_its_own) {
    const auto failure = failure_of([&] { db.exec(GetParam().sql); });

    EXPECT_EQ(skiff::name_of(failure.code()), std::string(GetParam().error)) << failure.what();
    db.exec("insert into t(id) values (1)");
    EXPECT_EQ(raw_database(folder / "app.db").text("pragma journal_mode"), "wal");
}

TEST_P(GuardRefuses, d6_refused_again_after_it_was_allowed_outside_transactions) {
    static_cast<void>(ending_of([&] {
        db.write_without_transaction([](skiff::connection& writer) {
            static_cast<void>(ending_of([&] { writer.exec(GetParam().sql); }));
            if (!writer.in_transaction()) return;
            writer.exec("rollback");
        });
    }));

    const auto failure =
        failure_of([&] { db.write([](transaction& tx) { tx.exec(GetParam().sql); }); });

    EXPECT_FALSE(failure.what() == std::string()) << failure.what();
}

struct allowed_sql {
    const char* name;
    const char* sql;
};

constexpr allowed_sql all_allowed[] = {
    {"create_table", "create table other(x)"},
    {"create_index", "create index other on t(v)"},
    {"create_view", "create view other as select 1"},
    {"create_trigger", "create trigger other after insert on t begin select 1; end"},
    {"create_virtual_table", "create virtual table other using fts5(x)"},
    {"alter_table", "alter table t add column w"},
    {"alter_table_rename", "alter table t rename to t2"},
    {"alter_table_rename_column", "alter table t rename v to w"},
    {"drop_table", "drop table t"},
    {"reindex", "reindex"},
    {"analyze", "analyze"},
    {"pragma_user_version", "pragma user_version=42"},
    {"pragma_application_id", "pragma application_id=42"},
    {"pragma_journal_mode_asked", "pragma journal_mode"},
    {"pragma_locking_mode_asked", "pragma locking_mode"},
    {"pragma_synchronous_asked", "pragma synchronous"},
    {"pragma_table_info", "pragma table_info(t)"},
    {"pragma_function", "select * from pragma_table_info('t')"},
    {"pragma_integrity_check", "pragma integrity_check"},
    {"pragma_quick_check_of_a_table", "pragma quick_check(t)"},
    {"pragma_foreign_key_check", "pragma foreign_key_check(t)"},
    {"pragma_defer_foreign_keys", "pragma defer_foreign_keys=1"},
    {"or_rollback_in_a_string", "select 'insert or rollback'"},
    {"or_rollback_in_a_comment", "select 1 -- insert or rollback\n /* or rollback */"},
    {"or_rollback_in_a_name", "select 1 as \"or rollback\""},
    {"or_rollback_as_a_name", "select 1 as or_rollback"},
    {"insert_or_abort", "insert or abort into t(id) values (1)"},
    {"insert_or_fail", "insert or fail into t(id) values (1)"},
    {"insert_or_replace", "insert or replace into t(id) values (1)"},
    {"replace", "replace into t(id) values (1)"},
    {"upsert", "insert into t(id) values (1) on conflict do nothing"},
};

std::string name_of_allowed(const testing::TestParamInfo<allowed_sql>& given) {
    return given.param.name;
}

std::ostream& operator<<(std::ostream& out, const allowed_sql& shown) {
    return out << shown.sql;
}

class GuardAllows : public testing::TestWithParam<allowed_sql> {
  protected:
    GuardAllows() { db.exec("create table t(id integer primary key, v)"); }

    temp_dir folder;
    skiff::database db = skiff::database::open(folder / "app.db", without_disk());
};
INSTANTIATE_TEST_SUITE_P(Sql, GuardAllows, testing::ValuesIn(all_allowed), name_of_allowed);

TEST_P(GuardAllows, d6_allowed_in_a_closure) {
    const auto ended =
        ending_of([this] { db.write([](transaction& tx) { tx.exec(GetParam().sql); }); });

    EXPECT_TRUE(ended.ok) << ended;
    EXPECT_EQ(integrity_of(folder / "app.db"), "ok");
}

class Guard : public testing::Test {
  protected:
    Guard() { db.exec("create table t(id integer primary key, v)"); }

    temp_dir folder;
    skiff::database db = skiff::database::open(folder / "app.db", without_disk());
};

TEST_F(Guard, user_version_set_in_a_closure_is_committed_with_it) {
    db.write([](transaction& tx) { tx.exec("pragma user_version=42"); });

    EXPECT_EQ(raw_database(folder / "app.db").number("pragma user_version"), 42);
}

TEST_F(Guard, user_version_of_a_failed_closure_is_undone) {
    EXPECT_EQ(code_of([&] {
                  db.write([](transaction& tx) {
                      tx.exec("pragma user_version=42");
                      tx.exec("no such SQL");
                  });
              }),
              errc::generic);

    EXPECT_EQ(raw_database(folder / "app.db").number("pragma user_version"), 0);
}

TEST_F(Guard, refusal_says_what_to_do_instead) {
    const auto failure = failure_of([&] { db.exec("commit"); });

    EXPECT_NE(std::string(failure.what()).find("return to commit, throw to roll back"),
              std::string::npos)
        << failure.what();
    EXPECT_EQ(failure.sql(), "commit");
}

TEST_F(Guard, transaction_object_can_neither_commit_nor_roll_back) {
    const auto commit = code_of([&] { db.write([](transaction& tx) { tx.commit(); }); });
    const auto rollback = code_of([&] { db.write([](transaction& tx) { tx.rollback(); }); });

    EXPECT_EQ(commit, errc::refused);
    EXPECT_EQ(rollback, errc::refused);
}

TEST_F(Guard, savepoints_of_the_transaction_object_work) {
    db.write([](transaction& tx) {
        auto kept = tx.savepoint();
        tx.exec("insert into t(id) values (1)");
        {
            auto dropped = tx.savepoint();
            tx.exec("insert into t(id) values (2)");
        }
        kept.release();
    });

    EXPECT_EQ(db.all<int>("select id from t"), (std::vector{1}));
}

TEST_F(Guard, savepoint_kept_beyond_its_closure_is_harmless) {
    std::optional<skiff::savepoint> kept;
    db.write([&kept](transaction& tx) {
        kept.emplace(tx.savepoint());
        tx.exec("insert into t(id) values (1)");
    });

    kept.reset();
    db.exec("insert into t(id) values (2)");

    EXPECT_EQ(db.all<int>("select id from t"), (std::vector{1, 2}));
}

TEST_F(Guard, readers_settings_cannot_be_changed_for_the_next_caller) {
    for (const char* sql : {"pragma query_only=0", "begin immediate", "commit", "savepoint x",
                            "attach ':memory:' as other", "pragma busy_timeout=0"}) {
        auto snap = db.read();
        const auto refused = ending_of([&] { snap.exec(sql); });
        EXPECT_EQ(refused.name(), "SKIFF_REFUSED") << sql << ": " << refused;
    }

    EXPECT_EQ(db.one<int>("pragma query_only"), 1);
}

}  // namespace
