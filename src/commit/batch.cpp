// What a unit can do to a batch, and the answer to each (docs/internals/group_commit.md):
//
//   it throws                        its savepoint is undone; neighbours go on
//   deferred foreign keys are left   the same, before they could fail the COMMIT for all (D3)
//   the transaction is gone (D2), or an error leaves it untrustworthy (D16)
//                                    all is rolled back; units that may run again do, one by one
//   COMMIT fails for certain         all is rolled back, as above
//   COMMIT fails, maybe stored       everybody is told so, nobody is run again (D14)
#include "commit/batch.hpp"

#include "commit/writer.hpp"
#include "core/error_map.hpp"
#include "core/operation.hpp"

#include <utility>

namespace skiff::detail {

namespace {

std::exception_ptr to_pointer(error_details details) {
    try {
        throw_error(std::move(details));
    } catch (...) {
        return std::current_exception();
    }
}

std::exception_ptr aborted_by(const std::exception_ptr& cause) {
    error_details details;
    details.code = errc::batch_aborted;
    details.operation = "write";
    details.message = "the shared transaction was lost to another caller's error";
    details.advice = "nothing was committed: run it again, or pass rerun::allowed";
    try {
        std::rethrow_exception(cause);
    } catch (const error& known) {
        details.extended_code = known.extended_code();
        details.message += ": " + std::string(known.message());
    } catch (const std::exception& known) {
        details.message += std::string(": ") + known.what();
    } catch (...) {
        details.message += ": an unknown exception";
    }
    return to_pointer(std::move(details));
}

int deferred_violations(sqlite3* db) noexcept {
    int count = 0;
    int highest = 0;
    sqlite3_db_status(db, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0);
    return count;
}

/// The same failure for another caller: an exception object belongs to one thread at a time.
std::exception_ptr copy_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const error& known) {
        return to_pointer(known.details());
    } catch (...) {
        return failure;
    }
}

bool is_outcome_unknown(const std::exception_ptr& failure) noexcept {
    try {
        std::rethrow_exception(failure);
    } catch (const outcome_unknown&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

batch::batch(writer& owner) noexcept : owner_(owner), state_(owner.state_) {}

bool batch::run(waiter& unit) {
    state_.fatal_code = 0;
    {
        // In force for this unit's own work only (D11): undoing it may run others' again.
        const operation limits(state_, unit.deadline, unit.stop);
        if (!begin(unit)) return true;
        call(unit);
    }
    check_unit(unit);
    if (!unit.failure && keep(unit)) return true;
    owner_.counters_.writes_failed.fetch_add(1, std::memory_order_relaxed);
    return undo(unit);
}

/// BEGIN for the first unit, SAVEPOINT for the others.
bool batch::begin(waiter& unit) {
    try {
        if (state_.current_operation != nullptr && state_.current_operation->must_stop()) {
            throw_not_started(unit.deadline, "the writer");
        }
        state_.check_writable();
        if (!kept_.empty()) {
            state_.run(internal_sql::unit_savepoint);
        } else {
            owner_.begin_transaction(unit);
        }
        return true;
    } catch (...) {
        unit.failure = std::current_exception();
        return false;
    }
}

void batch::call(waiter& unit) {
    const writer::leading mark(owner_);
    sqlite3_set_last_insert_rowid(state_.db, 0);  // rule D5: not a neighbour's
    try {
        auto lent = state_.lend_transaction();
        unit.unit->run(unit.unit->context, lent);
    } catch (...) {
        unit.failure = std::current_exception();
    }
    state_.end_loan();
}

/// Finds what the unit left behind that would hurt the others.
void batch::check_unit(waiter& unit) {
    // Rule D9: a statement that still runs would make RELEASE and COMMIT fail.
    if (state_.end_running_statements() > 0 && !unit.failure) {
        unit.failure = to_pointer({.code = errc::misuse,
                                   .message = "a query was still running when the closure ended",
                                   .operation = "write",
                                   .advice = "end loops over rows inside the closure"});
    }
    if (state_.fatal_code != 0 && !unit.failure) {  // the closure swallowed it (D16)
        unit.failure = to_pointer(details_of(state_.db, state_.fatal_code, "write"));
    }
    if (!state_.in_transaction() && !unit.failure) {
        unit.failure = to_pointer({.code = errc::refused,
                                   .message = "the transaction was rolled back inside the closure",
                                   .operation = "write",
                                   .advice = "'raise(rollback)' and 'on conflict rollback' end "
                                             "it: use abort and throw instead"});
    }
    if (!unit.failure && deferred_violations(state_.db) > 0) {  // rule D3
        unit.failure = to_pointer({.code = errc::constraint,
                                   .extended_code = SQLITE_CONSTRAINT_FOREIGNKEY,
                                   .message = "FOREIGN KEY constraint failed (deferred)",
                                   .operation = "commit"});
    }
    if (owner_.guard_->take_deferred_keys() && state_.in_transaction()) {  // rule D8
        state_.try_run("PRAGMA defer_foreign_keys=OFF");
    }
}

bool batch::keep(waiter& unit) {
    if (!kept_.empty()) {
        const int code = state_.try_run(internal_sql::unit_release);
        if (code != SQLITE_OK) {
            state_.fatal_code = code;
            unit.failure = to_pointer(details_of(state_.db, code, "release"));
            return false;
        }
    }
    kept_.push_back(&unit);
    return true;
}

/// Takes back what a failed unit did; false when that took the others' work with it.
bool batch::undo(waiter& unit) {
    if (kept_.empty()) {
        if (state_.in_transaction()) state_.try_run(internal_sql::rollback);
        return true;
    }
    const bool trusted = state_.in_transaction() && state_.fatal_code == 0;
    if (trusted && state_.try_run(internal_sql::unit_rollback) == SQLITE_OK &&
        state_.try_run(internal_sql::unit_release) == SQLITE_OK) {
        return true;
    }
    if (state_.in_transaction()) state_.try_run(internal_sql::rollback);
    lose(unit.failure);  // rule D10 as well
    return false;
}

/// The work of all kept units is gone: those that may run again do so now (rule D15).
void batch::lose(const std::exception_ptr& cause) {
    owner_.counters_.batches_aborted.fetch_add(1, std::memory_order_relaxed);
    for (auto* unit : std::exchange(kept_, {})) {
        if (unit->repeatable()) {
            run_again(*unit);
        } else {
            unit->failure = aborted_by(cause);
        }
    }
}

void batch::run_again(waiter& unit) {
    batch own(owner_);
    own.run(unit);
    own.commit();
}

void batch::commit() {
    if (kept_.empty()) return;
    try {
        state_.commit();
    } catch (...) {
        const auto failure = std::current_exception();
        if (state_.in_transaction()) state_.try_run(internal_sql::rollback);
        if (kept_.size() > 1 && !is_outcome_unknown(failure)) return lose(failure);
        for (auto* unit : std::exchange(kept_, {})) {
            unit->failure = copy_of(failure);  // rule D14
        }
        return;
    }
    owner_.note_commit(kept_);
    kept_.clear();
}

}  // namespace skiff::detail
