// Logs that our VFS and SQLite's own use in turn and at the same time, in one process and in two.
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/wal_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace skiff_test;

constexpr const char* patient = "pragma busy_timeout=20000;";

void make_table(raw_database& db) {
    db.exec(
        "pragma journal_mode=wal; pragma synchronous=normal;"
        "create table t(id integer primary key, v text); create index tv on t(v)");
}

std::string insert_of(int id, int bytes) {
    return "insert into t values(" + std::to_string(id) + ",hex(randomblob(" +
           std::to_string(bytes) + ")))";
}

std::string content_of(raw_database& db) {
    return db.text(
        "select count(*)||':'||sum(length(v))||':'||group_concat(substr(v,1,6))"
        " from (select * from t order by id)");
}

TEST(WalMixed, programs_write_and_read_in_turn_through_checkpoints_of_either) {
    const temp_dir folder;
    const auto ours = open_ours(folder / "a.db");
    const auto stock = open_stock(folder / "a.db");
    ours->exec(patient);
    stock->exec(patient);
    make_table(*ours);
    const std::vector<std::string> modes = {"passive", "full", "restart", "truncate"};

    for (int round = 0; round < 60; ++round) {
        auto& writer = round % 2 == 0 ? *ours : *stock;
        auto& other = round % 2 == 0 ? *stock : *ours;
        writer.exec(insert_of(round, 100 + round * 37 % 4000));
        ASSERT_EQ(content_of(other), content_of(writer)) << "round " << round;
        auto& checkpointer = round % 3 == 0 ? *ours : *stock;
        if (round % 4 == 3) {
            checkpointer.exec("pragma wal_checkpoint(" +
                              modes[static_cast<std::size_t>(round / 4 % 4)] + ")");
            ASSERT_EQ(content_of(*ours), content_of(*stock)) << "round " << round;
        }
    }

    EXPECT_EQ(ours->text("pragma integrity_check"), "ok");
    EXPECT_EQ(stock->text("pragma integrity_check"), "ok");
}

TEST(WalMixed, log_truncated_by_stock_between_reads_is_read_on) {
    const temp_dir folder;
    const auto ours = open_ours(folder / "a.db");
    make_table(*ours);
    const auto stock = open_stock(folder / "a.db");
    for (auto* db : {ours.get(), stock.get()}) db->exec(patient);
    ours->exec("pragma mmap_size=268435456");

    for (int round = 0; round < 40; ++round) {
        for (int row = 0; row < 40 - round; ++row) {
            stock->exec(insert_of(round * 100 + row, 2000));
        }
        ASSERT_EQ(content_of(*ours), content_of(*stock));
        stock->exec("pragma wal_checkpoint(truncate)");
        ASSERT_EQ(std::filesystem::file_size((folder / "a.db").string() + "-wal"), 0U);
        ASSERT_EQ(content_of(*ours), content_of(*stock));
    }
}

/// Inserts rows of its own and reads all; "ok", or what was wrong.
std::string work_on(const std::filesystem::path& path, bool ours, int first, int rows) {
    const auto db = ours ? open_ours(path) : open_stock(path);
    db->exec(patient);
    db->exec("pragma synchronous=normal; pragma wal_autocheckpoint=50");
    for (int id = first; id < first + rows; ++id) {
        db->exec(insert_of(id, 50 + id % 900));
        const auto mine = db->number("select count(*) from t where id>=" + std::to_string(first) +
                                     " and id<" + std::to_string(first + rows));
        if (mine != id - first + 1) return "lost a row at " + std::to_string(id);
        if (id % 50 == 0 && db->text("pragma quick_check") != "ok") return "not sound";
    }
    return "ok";
}

TEST(WalMixed, processes_of_both_kinds_at_the_same_time_lose_nothing) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    make_table(*open_stock(path));
    const int rows = count_from("SKIFF_MIXED_ROWS", 250);

    std::vector<child_process> children;
    for (int child = 0; child < 4; ++child) {
        children.emplace_back([&, child](child_channel&) {
            return work_on(path, child % 2 == 0, child * 10000, rows);
        });
    }
    for (auto& each : children) EXPECT_EQ(each.join().answer, "ok");

    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 4 * rows);
}

TEST(WalMixed, e2_newcomer_of_another_kind_is_let_in_while_we_are_busy) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    make_table(*open_ours(path));
    child_process child([&](child_channel& parent) {
        const auto db = open_ours(path);
        db->exec(patient);
        db->exec(insert_of(1, 100));
        parent.signal();
        int reads = 0;
        while (db->number("select count(*) from t") < 3) ++reads;
        return std::to_string(reads);
    });
    ASSERT_TRUE(child.wait());

    const auto newcomer = open_stock(path);
    newcomer->exec(patient);
    EXPECT_EQ(newcomer->number("select count(*) from t"), 1);
    newcomer->exec(insert_of(2, 100));
    newcomer->exec(insert_of(3, 100));

    EXPECT_EQ(child.join().exit_code, 0);
}

TEST(WalMixed, log_left_by_a_dead_process_is_recovered) {
    for (const bool ours_dies : {true, false}) {
        const temp_dir folder;
        const auto path = folder / "a.db";
        const auto told = run_in_child([&] {
            auto db = ours_dies ? open_ours(path) : open_stock(path);
            make_table(*db);
            for (int id = 0; id < 20; ++id) db->exec(insert_of(id, 3000));
            db->exec("pragma cache_size=5; begin; update t set v=v||'x'");
            static_cast<void>(db.release());
            return std::string("left");
        });
        ASSERT_EQ(told.answer, "left");

        const auto heir = ours_dies ? open_stock(path) : open_ours(path);

        EXPECT_EQ(heir->number("select count(*) from t where v not like '%x'"), 20);
        EXPECT_EQ(heir->text("pragma integrity_check"), "ok");
    }
}

/// Any close of the file drops the traditional locks that SQLite's own VFS has on it, but not those
/// on the wal-index: whoever is attached there keeps the log from being deleted.
TEST(WalMixed, log_stays_while_somebody_uses_it_whose_locks_were_dropped) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    make_table(*open_stock(path));
    const auto victim = open_stock(path);
    victim->exec(insert_of(1, 100));
    std::ifstream(path).close();

    open_ours(path)->exec(insert_of(2, 100));

    EXPECT_TRUE(std::filesystem::exists(path.string() + "-wal"));
    victim->exec(insert_of(3, 100));
    EXPECT_EQ(open_ours(path)->number("select count(*) from t"), 3);
    EXPECT_EQ(integrity_of(path), "ok");
}

/// Where nothing can be mapped any more, the log is read with read calls.
TEST(WalMixed, log_that_cannot_be_mapped_is_read_all_the_same) {
#if defined(__has_feature)
    GTEST_SKIP() << "sanitizers need address space";
#endif
    const temp_dir folder;
    const auto path = folder / "a.db";
    make_table(*open_stock(path));
    const auto told = run_in_child([&] {
        std::ifstream sizes("/proc/self/statm");
        rlim_t pages = 0;
        sizes >> pages;
        constexpr rlim_t room = 40 << 20;
        const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + room;
        const rlimit limit{bytes, bytes};
        if (setrlimit(RLIMIT_AS, &limit) != 0) return std::string("no limit");
        const auto db = open_ours(path);
        db->exec("pragma mmap_size=268435456; pragma cache_size=5");
        for (int id = 0; id < 200; ++id) db->exec(insert_of(id, 2000));
        const auto other = open_ours(path);
        return content_of(*other) == content_of(*db) ? other->text("pragma integrity_check")
                                                     : std::string("differs");
    });

    EXPECT_EQ(told.answer, "ok");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 200);
}

}  // namespace
