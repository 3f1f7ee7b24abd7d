// T-D1: thousands of random shared transactions of 1 to 64 units against the same units run alone,
// one after the other, on plain SQLite. Every unit must end the same way, report the same figures,
// and leave the same content. SKIFF_SEED repeats a run, SKIFF_BATCHES sets the number of batches.
#include "commit/batch.hpp"
#include "commit/writer.hpp"
#include "support/latch_gate.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "unit/commit/random_units.hpp"
#include "unit/commit/three_callers.hpp"

#include <skiff/database.hpp>
#include <skiff/error.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace skiff_test;
using skiff::transaction;

/// Batches of a run. The thread sanitizer finds nothing in one thread, but takes its time.
#if defined(__has_feature)
#define SKIFF_TEST_HAS(feature) __has_feature(feature)
#else
#define SKIFF_TEST_HAS(feature) 0
#endif
constexpr int usual_batches = SKIFF_TEST_HAS(thread_sanitizer) ? 200 : 2000;

/// One unit as a caller of the writer, and what it reported.
struct caller {
    explicit caller(const random_unit& given) : work(given) {
        unit.context = this;
        unit.run = [](void* context, transaction& tx) {
            auto& self = *static_cast<caller*>(context);
            ++self.runs;
            self.work.run(tx, self.report.steps);
        };
        waiting.unit = &unit;
    }
    caller(const caller&) = delete;
    caller& operator=(const caller&) = delete;

    void settle() {
        if (!waiting.failure) return;
        try {
            std::rethrow_exception(waiting.failure);
        } catch (const unit_gives_up&) {
            report.code = unit_report::gave_up;
        } catch (const skiff::error& thrown) {
            report.code = thrown.extended_code();
        }
    }

    const random_unit& work;
    int runs = 0;
    unit_report report;
    skiff::detail::write_unit unit;
    skiff::detail::waiter waiting;
};

/// The plain side: its own file, the same settings.
class plain_side {
  public:
    explicit plain_side(const std::filesystem::path& path) : db_(path) {
        db_.exec("pragma journal_mode=wal");
        db_.exec("pragma synchronous=off");
        db_.exec("pragma foreign_keys=on");
        for (const auto& sql : random_schema()) db_.exec(sql);
    }
    [[nodiscard]] raw_database& db() { return db_; }

    /// Runs the units alone and compares.
    void expect_same(const std::vector<random_unit>& units,
                     const std::vector<unit_report>& reports,
                     raw_database& ours) {
        for (std::size_t i = 0; i < units.size(); ++i) {
            const auto alone = units[i].run_alone(db_);
            EXPECT_EQ(reports[i].code, alone.code) << units[i].text();
            ASSERT_TRUE(reports[i] == alone) << units[i].text();
        }
        ASSERT_EQ(content_of(ours), content_of(db_));
    }

  private:
    raw_database db_;
};

std::vector<random_unit> make_units(random_numbers& random, int units_max) {
    std::vector<random_unit> units;
    const int count = random.once_in(4) ? 1 + random.below(units_max) : 1 + random.below(6);
    for (int i = 0; i < count; ++i) units.push_back(make_random_unit(random));
    return units;
}

TEST(BatchDifferential, t_d1_random_batches_equal_units_run_alone) {
    random_numbers random(test_seed());
    const int batches = count_from("SKIFF_BATCHES", usual_batches);
    const temp_dir folder;
    plain_side plain(folder / "plain.db");
    auto opened = skiff::connection::open(folder / "ours.db", without_disk());
    for (const auto& sql : random_schema()) opened.exec(sql);
    skiff::detail::writer ours(std::move(opened), {.callers_max = 64, .time_max = {}});
    raw_database look(folder / "ours.db");

    for (int i = 0; i < batches; ++i) {
        SCOPED_TRACE("batch " + std::to_string(i));
        const auto units = make_units(random, 64);
        std::deque<caller> callers;
        skiff::detail::batch work(ours);
        for (const auto& each : units) {
            callers.emplace_back(each);
            ASSERT_TRUE(work.run(callers.back().waiting));
        }
        work.commit();
        std::vector<unit_report> reports;
        for (auto& each : callers) {
            each.settle();
            EXPECT_EQ(each.runs, 1);
            reports.push_back(each.report);
        }
        plain.expect_same(units, reports, look);
        ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_EQ(look.text("pragma integrity_check"), "ok");
    EXPECT_EQ(ours.counters().batches_aborted.load(), 0U);
}

TEST(BatchDifferential, t_d1_callers_on_threads_equal_units_run_alone) {
    random_numbers random(test_seed());
    const int batches = count_from("SKIFF_BATCHES", usual_batches) / 20;
    const temp_dir folder;
    plain_side plain(folder / "plain.db");
    auto ours = skiff::database::open(folder / "ours.db", without_disk());
    for (const auto& sql : random_schema()) ours.exec(sql);
    raw_database look(folder / "ours.db");

    for (int i = 0; i < batches; ++i) {
        SCOPED_TRACE("batch " + std::to_string(i));
        const auto units = make_units(random, 24);
        std::vector<unit_report> reports(units.size());
        write_line line(ours);
        for (std::size_t at = 0; at < units.size(); ++at) {
            line.add([&ours, &unit = units[at], &report = reports[at]] {
                try {
                    ours.write([&](transaction& tx) { unit.run(tx, report.steps); });
                } catch (const unit_gives_up&) {
                    report.code = unit_report::gave_up;
                } catch (const skiff::error& thrown) {
                    report.code = thrown.extended_code();
                }
            });
        }
        static_cast<void>(line.finish());
        plain.expect_same(units, reports, look);
        ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_EQ(look.text("pragma integrity_check"), "ok");
}

}  // namespace
