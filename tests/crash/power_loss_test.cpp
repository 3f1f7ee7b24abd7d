// Power cuts at any moment, in process: whatever of the unsynced writes reached the disk, what was
// acknowledged is there, whole, and the file is sound for every SQLite (oracle O1, T3). The group
// sync and the joined writes of the VFS are what could break it.
#include "support/disk_recorder.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"

#include <skiff/connection.hpp>
#include <skiff/database.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace skiff_test {
namespace {

/// Two rows a transaction, so that half a transaction can be seen.
constexpr const char* table_sql =
    "create table t(id integer primary key, tx integer, filler blob); "
    "create index by_tx on t(tx)";

class PowerLoss : public testing::Test {
  protected:
    PowerLoss() {
        auto cx = skiff::connection::open(path);
        cx.exec_script(table_sql);
        cx.exec("pragma wal_checkpoint(truncate)");
    }

    void expect_sound(const std::filesystem::path& cut,
                      const std::vector<std::int64_t>& acknowledged) const {
        raw_database stock(cut);
        ASSERT_EQ(stock.text("pragma integrity_check"), "ok");
        const auto column = stock.column("select tx from t group by tx having count(*) = 2");
        EXPECT_EQ(static_cast<std::int64_t>(column.size()),
                  stock.number("select count(distinct tx) from t"))
            << "half a transaction";
        const std::set<std::string> found(column.begin(), column.end());
        for (const auto tx : acknowledged) {
            ASSERT_TRUE(found.contains(std::to_string(tx))) << "lost: transaction " << tx;
        }
        if (!in_order) return;
        EXPECT_EQ(stock.number("select count(distinct tx) - coalesce(max(tx), 0) from t"), 0)
            << "lost, and a later one is there";
    }

    void cut_everywhere(const disk_recorder& disk) {
        random_numbers random(test_seed());
        const int states = count_from("SKIFF_POWER_CUTS", 300);  // tools/torture power-loss: more
        for (int i = 0; i < states && !HasFatalFailure(); ++i) {
            const auto event =
                static_cast<std::size_t>(random.below(static_cast<int>(disk.events()) + 1));
            const auto left = disk.cut_at(event, random);
            SCOPED_TRACE("cut before event " + std::to_string(event));
            expect_sound(put_into(scratch.path(), left), left.acknowledged);
        }
    }

    bool in_order = false;  ///< numbers of transactions are in the order of their commits
    temp_dir folder;
    temp_dir scratch;
    const std::filesystem::path path = folder / "app.db";
};

constexpr const char* insert_sql = "insert into t(tx, filler) values (?, randomblob(?))";

TEST_F(PowerLoss, o1_commits_of_unchanged_connections_that_share_syncs) {
    disk_recorder disk(path);
    std::atomic<std::int64_t> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            auto cx = skiff::connection::open(path);
            for (int i = 0; i < 15; ++i) {
                const auto tx = ++next;
                auto both = cx.begin();
                both.exec(insert_sql, tx, 100 + i * 700);
                both.exec(insert_sql, tx, 10);
                both.commit();
                disk.note(tx);
                if (t == 0 && i % 5 == 4) cx.exec("pragma wal_checkpoint(passive)");
            }
        });
    }
    for (auto& each : threads) each.join();
    disk.stop();

    cut_everywhere(disk);
}

TEST_F(PowerLoss, o1_grouped_commits_of_a_database_with_checkpoints_between) {
    auto db = skiff::database::open(path);
    disk_recorder disk(path);
    std::atomic<std::int64_t> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 12; ++i) {
                const auto tx = ++next;
                db.write([&](skiff::transaction& both) {
                    both.exec(insert_sql, tx, 3000);
                    both.exec(insert_sql, tx, 10);
                });
                disk.note(tx);
                if (t != 0 || i % 4 != 3) continue;
                db.write_without_transaction([](skiff::connection& writer) {
                    writer.exec("pragma wal_checkpoint(restart)");
                });
            }
        });
    }
    for (auto& each : threads) each.join();
    disk.stop();

    cut_everywhere(disk);
}

/// Nothing but the header's sync and the checkpointer's keep log and database together.
TEST_F(PowerLoss, o1_commits_without_syncs_are_lost_from_the_end_only) {
    auto cx = skiff::connection::open(path);
    cx.exec("pragma synchronous=normal");
    in_order = true;
    disk_recorder disk(path);
    std::int64_t noted = 0;
    for (std::int64_t tx = 1; tx <= 40; ++tx) {
        auto both = cx.begin();
        both.exec(insert_sql, tx, 2500);
        both.exec(insert_sql, tx, 10);
        both.exec("update t set filler = randomblob(3000) where tx < ? and filler is not null", tx);
        both.commit();
        if (tx % 5 != 0) continue;
        cx.exec(tx % 2 == 0 ? "pragma wal_checkpoint(restart)" : "pragma wal_checkpoint(passive)");
        while (noted < tx) disk.note(++noted);
    }
    disk.stop();

    cut_everywhere(disk);
}

TEST_F(PowerLoss, o1_large_transactions_that_spill_and_rewrite_frames) {
    auto cx = skiff::connection::open(path);
    cx.exec("pragma cache_size=5");
    disk_recorder disk(path);
    for (std::int64_t tx = 1; tx <= 8; ++tx) {
        auto both = cx.begin();
        both.exec(insert_sql, tx, 40'000);
        both.exec(insert_sql, tx, 40'000);
        both.exec("update t set filler = randomblob(20000) where tx = ?", tx);
        if (tx % 3 == 0) {
            both.rollback();
            continue;
        }
        both.commit();
        disk.note(tx);
    }
    disk.stop();

    cut_everywhere(disk);
}

}  // namespace
}  // namespace skiff_test
