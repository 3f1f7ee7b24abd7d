// The database object as a whole: its life, what it says of itself, memory databases, read-only
// ones, functions on all connections, and waiting for the disk.
#include "support/failure_of.hpp"
#include "support/fault_vfs.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::connection;
using skiff::database;
using skiff::errc;
using skiff::transaction;
using strings = std::vector<std::string>;

skiff::open_options without_disk() {
    skiff::open_options options;
    options.vfs = fault_vfs_name();
    return options;
}

class Database : public testing::Test {
  protected:
    Database() { db.exec("create table t(id integer primary key, v)"); }

    temp_dir folder;
    database db = database::open(folder / "app.db", without_disk());
};

TEST_F(Database, closed_one_refuses_every_call) {
    db.close();

    EXPECT_FALSE(db.is_open());
    strings codes;
    const auto note = [&](auto call) { codes.push_back(ending_of(call).name()); };
    note([&] { static_cast<void>(db.one<int>("select 1")); });
    note([&] { static_cast<void>(db.maybe<int>("select 1")); });
    note([&] { static_cast<void>(db.all<int>("select 1")); });
    note([&] { db.exec("delete from t"); });
    note([&] { db.write([](transaction&) {}); });
    note([&] { db.write_without_transaction([](connection&) {}); });
    note([&] { static_cast<void>(db.read()); });
    note([&] { db.wait_durable({}); });
    note([&] { static_cast<void>(db.last_commit()); });
    note([&] { static_cast<void>(db.stats()); });
    note([&] { static_cast<void>(db.path()); });
    note([&] { static_cast<void>(db.options()); });
    note([&] { db.define_function("f", [] { return 1; }); });
    EXPECT_EQ(codes, strings(13, "SKIFF_CLOSED"));
}

TEST_F(Database, close_any_number_of_times_is_fine) {
    db.close();
    db.close();

    EXPECT_FALSE(db.is_open());
}

TEST_F(Database, close_with_a_leased_snapshot_is_refused_and_all_goes_on) {
    auto snap = std::make_optional(db.read());
    static_cast<void>(snap->one<int>("select count(*) from t"));

    const auto code = code_of([&] { db.close(); });

    EXPECT_EQ(code, errc::busy);
    EXPECT_TRUE(db.is_open());
    EXPECT_EQ(snap->one<int>("select count(*) from t"), 0);
    db.exec("insert into t(v) values (1)");
    EXPECT_EQ(db.one<int>("select count(*) from t"), 1);
    snap.reset();
    db.close();
}

TEST_F(Database, close_that_fails_on_the_writer_leaves_it_usable_and_guarded) {
    db.exec("insert into t values (1, zeroblob(100))");
    std::optional<skiff::blob_stream> stream;
    const auto left = code_of([&] {
        db.write_without_transaction([&](connection& writer) {
            stream.emplace(writer.open_blob({.table = "t", .column = "v", .rowid = 1}));
        });
    });

    const auto code = code_of([&] { db.close(); });
    stream.reset();

    EXPECT_EQ(left, errc::misuse);
    EXPECT_EQ(code, errc::busy);
    db.exec("insert into t(id) values (2)");
    EXPECT_EQ(code_of([&] { db.exec("commit"); }), errc::refused);
    EXPECT_EQ(db.one<int>("select count(*) from t"), 2);
    db.close();
}

TEST_F(Database, close_removes_the_log_of_the_last_connection) {
    db.exec("insert into t(v) values (1)");
    const bool before = std::filesystem::exists(folder / "app.db-wal");

    db.close();

    EXPECT_TRUE(before);
    EXPECT_FALSE(std::filesystem::exists(folder / "app.db-wal"));
    EXPECT_EQ(number_in(folder / "app.db", "select count(*) from t"), 1);
}

TEST_F(Database, moved_one_goes_on_and_the_old_one_is_closed) {
    auto moved = std::move(db);

    moved.exec("insert into t(v) values (1)");

    EXPECT_FALSE(db.is_open());
    EXPECT_EQ(code_of([&] { return db.one<int>("select 1"); }), errc::closed);
    EXPECT_EQ(moved.one<int>("select count(*) from t"), 1);
}

TEST_F(Database, moved_one_keeps_the_snapshots_it_leased) {
    std::optional<database> moved;
    auto snap = db.read();
    moved.emplace(std::move(db));

    moved->exec("insert into t(v) values (1)");

    EXPECT_EQ(snap.one<int>("select count(*) from t"), 1);
    snap = moved->read();
    EXPECT_EQ(snap.one<int>("select count(*) from t"), 1);
}

TEST_F(Database, assignment_closes_the_old_file) {
    db.exec("insert into t(v) values (1)");

    db = database::open(folder / "other.db", without_disk());

    EXPECT_FALSE(std::filesystem::exists(folder / "app.db-wal"));
    EXPECT_EQ(db.one<int>("select count(*) from sqlite_schema"), 0);
}

TEST_F(Database, path_and_options_are_those_it_was_opened_with) {
    EXPECT_EQ(db.path(), folder / "app.db");
    EXPECT_EQ(db.options().vfs, fault_vfs_name());
    EXPECT_EQ(db.options().readers, 8);
}

TEST_F(Database, tokens_grow_and_the_last_one_is_known) {
    const auto before = db.last_commit();
    const auto first = db.exec("insert into t(v) values (1)").commit;
    const auto second = db.write([](transaction& tx) { tx.exec("insert into t(v) values (1)"); });

    EXPECT_LT(before.sequence(), first.sequence());
    EXPECT_LT(first.sequence(), second.sequence());
    EXPECT_EQ(db.last_commit(), second);
}

TEST_F(Database, failed_write_makes_no_token) {
    const auto before = db.last_commit();

    EXPECT_THROW(db.write([](transaction&) { throw 1; }), int);

    EXPECT_EQ(db.last_commit(), before);
}

TEST_F(Database, nothing_written_is_the_token_never_set) {
    auto fresh = database::open(folder / "fresh.db", without_disk());

    EXPECT_EQ(fresh.last_commit(), skiff::commit_token());
    fresh.wait_durable(fresh.last_commit());
}

TEST_F(Database, stats_count_what_happened) {
    const auto before = db.stats();
    db.exec("insert into t(v) values (1)");
    EXPECT_THROW(db.write([](transaction&) { throw 1; }), int);
    static_cast<void>(db.one<int>("select 1"));
    auto snap = db.read();

    const auto after = db.stats();

    EXPECT_EQ(after.commits - before.commits, 1U);
    EXPECT_EQ(after.writes - before.writes, 1U);
    EXPECT_EQ(after.writes_failed - before.writes_failed, 1U);
    EXPECT_EQ(after.batches_aborted, 0U);
    EXPECT_EQ(after.readers_open, 1);
}

TEST_F(Database, stats_are_told_after_a_reader_failed_to_open) {
    {
        const fault_scope broken({.call = io_call::open, .lasts = how_long::for_ever});
        EXPECT_THROW(static_cast<void>(db.one<int>("select 1")), skiff::error);
    }

    EXPECT_EQ(db.stats().readers_open, 0);
    EXPECT_EQ(db.one<int>("select 1"), 1);
    EXPECT_EQ(db.stats().readers_open, 1);
}

TEST_F(Database, thread_reads_with_the_statement_it_prepared_before) {
    static_cast<void>(db.one<int>("select count(*) from t"));
    const auto before = db.stats();

    for (int i = 0; i < 10; ++i) static_cast<void>(db.one<int>("select count(*) from t"));

    const auto after = db.stats();
    EXPECT_EQ(after.readers_open, 1);
    EXPECT_EQ(after.statements.misses, before.statements.misses);
    EXPECT_EQ(after.statements.hits, before.statements.hits + 10);
}

TEST_F(Database, readers_are_opened_up_to_the_option) {
    auto options = without_disk();
    options.readers = 2;
    auto two = database::open(folder / "two.db", options);
    auto first = two.read();
    auto second = two.read();

    errc third{};
    std::thread([&] {
        third = code_of([&] { return two.read({.deadline = std::chrono::milliseconds(5)}); });
    }).join();

    EXPECT_EQ(third, errc::timeout);
    EXPECT_EQ(two.stats().readers_open, 2);
}

TEST_F(Database, reader_count_below_one_is_one) {
    auto options = without_disk();
    options.readers = -3;
    auto one = database::open(folder / "one.db", options);

    EXPECT_EQ(one.one<int>("select 7"), 7);
}

TEST_F(Database, function_defined_before_readers_exist_reaches_them) {
    db.define_function("twice", [](int x) { return 2 * x; });

    EXPECT_EQ(db.one<int>("select twice(21)"), 42);
    EXPECT_EQ(db.one<int>("insert into t(id) values (twice(5)) returning id"), 10);
}

TEST_F(Database, function_defined_after_readers_exist_reaches_them) {
    auto held = std::make_optional(db.read());
    static_cast<void>(held->one<int>("select 1"));
    static_cast<void>(db.one<int>("select 1"));

    db.define_function("twice", [](int x) { return 2 * x; });
    held.reset();
    auto first = db.read();
    auto second = db.read();

    EXPECT_EQ(first.one<int>("select twice(1)"), 2);
    EXPECT_EQ(second.one<int>("select twice(2)"), 4);
    EXPECT_EQ(db.stats().readers_open, 2);
}

TEST_F(Database, function_defined_again_replaces_the_old_one_everywhere) {
    db.define_function("answer", [] { return 1; });
    EXPECT_EQ(db.one<int>("select answer()"), 1);

    db.define_function("answer", [] { return 2; });

    EXPECT_EQ(db.one<int>("select answer()"), 2);
    EXPECT_EQ(db.one<int>("insert into t(id) values (answer()) returning id"), 2);
}

TEST_F(Database, function_is_there_for_every_thread_while_it_is_defined_anew) {
    db.define_function("version", [] { return 0; });
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            int last = 0;
            while (!done) {
                int seen = -1;
                const auto read = ending_of([&] { seen = db.one<int>("select version()"); });
                EXPECT_TRUE(read.ok) << read;
                EXPECT_GE(seen, last);
                last = seen;
            }
        });
    }

    for (int i = 1; i <= 50; ++i) db.define_function("version", [i] { return i; });
    done = true;
    for (auto& each : threads) each.join();

    EXPECT_EQ(db.one<int>("select version()"), 50);
}

TEST_F(Database, collation_and_aggregate_reach_readers_and_writer) {
    struct longest {
        std::string seen;
        void step(const std::string& text) {
            if (text.size() > seen.size()) seen = text;
        }
        std::string finish() { return seen; }
    };
    db.define_collation("backwards",
                        [](std::string_view a, std::string_view b) { return b.compare(a); });
    db.define_aggregate<longest>("longest");
    db.exec("create table words(w text collate backwards)");
    db.exec("insert into words values ('a'), ('ccc'), ('bb')");

    EXPECT_EQ(db.one<std::string>("select longest(w) from words"), "ccc");
    EXPECT_EQ(db.all<std::string>("select w from words order by w"), (strings{"ccc", "bb", "a"}));
    EXPECT_EQ(db.all<std::string>("delete from words where w = (select w from words order by w "
                                  "limit 1) returning w"),
              (strings{"ccc"}));
}

TEST_F(Database, read_only_one_reads_and_refuses_to_write) {
    db.exec("insert into t(v) values (1)");
    auto options = without_disk();
    options.mode = skiff::open_mode::read_only;
    auto reading = database::open(folder / "app.db", options);

    const auto statement = code_of([&] { reading.exec("insert into t(v) values (2)"); });
    const auto closure = code_of(
        [&] { reading.write([](transaction& tx) { tx.exec("insert into t(v) values (2)"); }); });

    EXPECT_EQ(statement, errc::read_only);
    EXPECT_EQ(closure, errc::read_only);
    EXPECT_EQ(reading.one<int>("select count(*) from t"), 1);
    EXPECT_EQ(reading.read().one<int>("select count(*) from t"), 1);
}

TEST_F(Database, missing_file_is_not_made_unless_asked_for) {
    for (const auto mode : {skiff::open_mode::read_write, skiff::open_mode::read_only}) {
        auto options = without_disk();
        options.mode = mode;
        EXPECT_EQ(code_of([&] { return database::open(folder / "none.db", options); }),
                  errc::cannot_open);
    }

    EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
}

TEST_F(Database, backup_is_a_copy_of_what_was_committed) {
    db.exec("insert into t(v) values (1), (2), (3)");
    auto target = connection::open(":memory:");

    db.backup_to(target);

    EXPECT_EQ(target.one<int>("select count(*) from t"), 3);
}

}  // namespace
