// Reader leases and snapshots.
#include "core/operation.hpp"
#include "pool/database_state.hpp"

#include <skiff/error.hpp>
#include <skiff/snapshot.hpp>

#include <utility>

namespace skiff {

namespace detail {

reader* reader_lease::take(database_state& database) {
    return &database.take_reader();
}

reader_lease::reader_lease(database_state& database, const read_options& options)
    : database_(&database) {
    database.check_token(options.at_least);
    held_ = &database.take_reader({options.deadline, options.stop});
    if (options.deadline.is_set() || options.stop.stop_possible()) {
        try {
            limits_ = new operation(*held_->inner, options.deadline, options.stop);
        } catch (...) {
            database.readers.give_back(*held_);
            throw;
        }
    }
}

reader_lease& reader_lease::operator=(reader_lease&& other) noexcept {
    if (this != &other) {
        if (held_ != nullptr) give_back();
        database_ = other.database_;
        held_ = std::exchange(other.held_, nullptr);
        limits_ = std::exchange(other.limits_, nullptr);
    }
    return *this;
}

connection_state& reader_lease::state() const noexcept {
    return *held_->inner;
}

skiff::connection& reader_lease::connection() const noexcept {
    return *held_->opened;
}

void reader_lease::give_back() noexcept {
    delete std::exchange(limits_, nullptr);
    database_->readers.give_back(*std::exchange(held_, nullptr));
}

}  // namespace detail

snapshot::snapshot(detail::reader_lease lease) : lease_(std::move(lease)) {
    lease_.state().run(detail::internal_sql::begin_deferred);
}

snapshot& snapshot::operator=(snapshot&& other) noexcept {
    if (this != &other) {
        end();
        lease_ = std::move(other.lease_);
    }
    return *this;
}

snapshot::~snapshot() {
    end();
}

void snapshot::end() noexcept {
    if (!lease_.holds()) return;
    auto& state = lease_.state();
    state.end_running_statements();  // a loop that outlived its snapshot would keep its read mark
    if (state.in_transaction()) state.try_run(detail::internal_sql::rollback);
}

detail::prepared& snapshot::start_statement(std::string_view sql) {
    if (!lease_.holds()) {
        throw_error(
            {.code = errc::closed, .message = "the snapshot was moved from", .operation = "use"});
    }
    return detail::start_cached(lease_.state(), sql);
}

}  // namespace skiff
