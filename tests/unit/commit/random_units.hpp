// Random callers' work for the differential test of shared transactions: statements with every
// conflict clause but rollback, foreign keys, triggers, savepoints, errors that are swallowed and
// errors that are not. One unit can be run on a Skiff transaction or on plain SQLite.
#pragma once

#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"

#include <skiff/transaction.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace skiff_test {

/// One thing that a unit does.
struct unit_step {
    enum class what { statement, open_savepoint, undo_savepoint, keep_savepoint, give_up };
    what does = what::statement;
    std::string sql{};
    bool swallows_error = false;
};

/// What a statement of a unit reported.
struct step_report {
    int code = 0;  ///< SQLite's extended code
    std::int64_t changes = 0;
    std::int64_t rowid = 0;
    friend bool operator==(const step_report&, const step_report&) = default;
};

/// What became of a unit.
struct unit_report {
    int code = 0;  ///< 0 when it committed; gave_up; or the extended code that failed it
    std::vector<step_report> steps;
    friend bool operator==(const unit_report&, const unit_report&) = default;

    static constexpr int gave_up = -1;
};

/// A caller's work.
struct random_unit {
    std::vector<unit_step> steps;

    /// Runs inside a write closure; fills `reports` and throws what fails it.
    void run(skiff::transaction& tx, std::vector<step_report>& reports) const;
    /// Runs alone, in a transaction of its own.
    [[nodiscard]] unit_report run_alone(raw_database& db) const;
    /// Its SQL, for the message of a failing test.
    [[nodiscard]] std::string text() const;
};

/// Thrown by a unit that gives up by itself.
struct unit_gives_up {};

/// The tables that random units work on.
[[nodiscard]] std::vector<std::string> random_schema();
[[nodiscard]] random_unit make_random_unit(random_numbers& random);
/// Everything in the database as text.
[[nodiscard]] std::string content_of(raw_database& db);

}  // namespace skiff_test
