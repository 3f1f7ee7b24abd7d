// `skiff stats`: it names who writes and who reads, its figures are SQLite's own, and it leaves
// nothing behind. Others are children with stock SQLite. What is parsed is tested on bytes made by
// hand in stats_parse_test.cpp.
#include "cli/run_cli.hpp"
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <unistd.h>

namespace skiff_test {
namespace {

using json = nlohmann::json;
using testing::HasSubstr;

class Stats : public cli_test {
  protected:
    [[nodiscard]] std::filesystem::path file() const { return folder() / "a.db"; }
    /// A database with one table, made by stock SQLite.
    void make(const std::string& journal_mode) const {
        raw_database db(file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix");
        db.exec("pragma journal_mode = " + journal_mode);
        db.exec("create table t(x)");
    }
    /// A child with stock SQLite that runs `sql`, and keeps what it has until it is told.
    [[nodiscard]] child_process holder(const std::string& sql) const {
        return child_process([this, sql](child_channel& parent) {
            raw_database db(file(), SQLITE_OPEN_READWRITE, "unix");
            db.exec(sql);
            parent.signal();
            static_cast<void>(parent.wait());
            return std::to_string(::getpid());
        });
    }
    [[nodiscard]] json look() const { return json::parse(output_of({"stats", "a.db", "--json"})); }
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& each : std::filesystem::directory_iterator(folder())) {
            found.insert(each.path().filename().string());
        }
        return found;
    }
};

/// The end of a child that holds something: its pid.
std::string pid_of(child_process& child) {
    child.signal();
    return child.join().answer;
}

bool holds(const json& process, const std::string& name) {
    for (const auto& lock : process["locks"]) {
        if (lock["name"] == name) return true;
    }
    return false;
}

TEST_F(Stats, writer_in_wal_mode_is_named) {
    make("wal");
    auto writer = holder("begin immediate; insert into t values (1)");
    ASSERT_TRUE(writer.wait());

    const auto seen = look();
    const auto text = output_of({"stats", "a.db"});

    const auto pid = pid_of(writer);
    ASSERT_EQ(seen["processes"].size(), 1U);
    const auto& process = seen["processes"][0];
    EXPECT_EQ(std::to_string(process["pid"].get<int>()), pid);
    EXPECT_THAT(process["activity"].get<std::string>(), HasSubstr("writes"));
    EXPECT_TRUE(holds(process, "WRITE"));
    EXPECT_THAT(text, HasSubstr("hint: pid " + pid + " ("));
    EXPECT_THAT(text, HasSubstr("is in a write transaction"));
}

TEST_F(Stats, writer_in_rollback_mode_is_named) {
    make("delete");
    auto writer = holder("begin immediate");
    ASSERT_TRUE(writer.wait());

    const auto seen = look();

    const auto pid = pid_of(writer);
    EXPECT_EQ(seen["journal_mode"], "rollback");
    EXPECT_EQ(seen["log"], nullptr);
    ASSERT_EQ(seen["processes"].size(), 1U);
    EXPECT_EQ(std::to_string(seen["processes"][0]["pid"].get<int>()), pid);
    EXPECT_EQ(seen["processes"][0]["activity"], "writes");
    EXPECT_TRUE(holds(seen["processes"][0], "RESERVED"));
}

TEST_F(Stats, reader_holds_the_mark_that_it_began_with) {
    make("wal");
    auto idle = holder("insert into t values (1)");
    ASSERT_TRUE(idle.wait());
    auto reader = holder("begin; select * from t");
    ASSERT_TRUE(reader.wait());
    const auto frames_before = look()["log"]["frames"].get<int>();
    auto writer = holder("insert into t values (2)");
    ASSERT_TRUE(writer.wait());

    const auto seen = look();

    const auto reader_pid = pid_of(reader);
    pid_of(writer);
    pid_of(idle);
    std::set<int> used;
    for (const auto& mark : seen["log"]["read_marks"]) {
        if (mark["in_use"] == true) used.insert(mark["frame"].get<int>());
    }
    EXPECT_EQ(used, std::set<int>{frames_before});
    EXPECT_GT(seen["log"]["frames"].get<int>(), frames_before);
    ASSERT_EQ(seen["processes"].size(), 3U);
    for (const auto& process : seen["processes"]) {
        const bool reads = std::to_string(process["pid"].get<int>()) == reader_pid;
        EXPECT_EQ(process["activity"], reads ? "reads" : "has it open");
    }
}

TEST_F(Stats, reader_that_holds_back_a_long_log_is_named) {
    make("wal");
    auto reader = holder("insert into t values (1); begin; select * from t");
    ASSERT_TRUE(reader.wait());
    auto writer = holder("insert into t values (zeroblob(70000000))");
    ASSERT_TRUE(writer.wait());

    const auto text = output_of({"stats", "a.db"});

    const auto pid = pid_of(reader);
    pid_of(writer);
    EXPECT_THAT(text,
                HasSubstr("(pid " + pid + ") keeps the log from being reset: end its transaction"));
}

TEST_F(Stats, figures_are_those_of_sqlite) {
    make("wal");
    auto other = holder("insert into t values (zeroblob(50000)); delete from t");
    ASSERT_TRUE(other.wait());

    const auto before = look();
    const auto told = run_in_child([&] {
        raw_database db(file(), SQLITE_OPEN_READWRITE, "unix");
        return std::to_string(db.number("pragma page_count")) + " " +
               std::to_string(db.number("pragma freelist_count"));
    });
    const auto pragma = output_of({"exec", "a.db", "pragma wal_checkpoint", "--json"});
    const auto after = look();
    pid_of(other);

    const auto row = json::parse(pragma)[0];
    EXPECT_EQ(before["log"]["frames"], row["log"]);
    EXPECT_EQ(after["log"]["frames"], row["log"]);
    EXPECT_EQ(after["log"]["copied"], row["checkpointed"]);
    EXPECT_EQ(told.answer, std::to_string(before["page_count"].get<int>()) + " " +
                               std::to_string(before["freelist_count"].get<int>()));
    EXPECT_EQ(after["freelist_count"], before["freelist_count"]);
}

TEST_F(Stats, nothing_is_left_behind_or_changed) {
    for (const char* mode : {"wal", "delete"}) {
        std::filesystem::remove(file());
        make(mode);
        const auto files = names();
        const auto content = content_of("a.db");

        output_of({"stats", "a.db"});

        EXPECT_EQ(names(), files);
        EXPECT_EQ(content_of("a.db"), content);
    }
}

TEST_F(Stats, damaged_index_and_a_marker_are_said) {
    make("wal");
    put("a.db-wal", "no log");
    put("a.db-shm", std::string(200, '\x55'));
    put("a.db-unsynced", "");

    const auto seen = look();
    const auto text = output_of({"stats", "a.db"});

    EXPECT_EQ(seen["log"]["frames"], nullptr);
    EXPECT_EQ(seen["unsynced"], true);
    EXPECT_THAT(text, HasSubstr("is not in order"));
    EXPECT_THAT(text, HasSubstr("a sync failed"));
}

TEST_F(Stats, what_is_no_database_cannot_be_opened) {
    put("note.txt", "this is a note and no database");

    EXPECT_EQ(run({"stats", "note.txt"}).exit_code, 3);
    EXPECT_EQ(run({"stats", "absent.db"}).exit_code, 3);
    EXPECT_FALSE(std::filesystem::exists(folder() / "absent.db"));
}

TEST_F(Stats, watch_looks_again_until_interrupted) {
    make("wal");
    auto other = holder("insert into t values (1)");
    ASSERT_TRUE(other.wait());
    cli_process watching(folder(), {"stats", "a.db", "--watch", "0.01"});

    watching.await_output("frames/s committed");
    watching.interrupt();

    EXPECT_EQ(watching.wait().exit_code, 130);
    pid_of(other);
}

}  // namespace
}  // namespace skiff_test
