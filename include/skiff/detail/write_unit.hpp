// One caller's work for the writer, as the commit queue sees it: run by whichever thread leads.
#pragma once

#include <skiff/commit_token.hpp>
#include <skiff/deadline.hpp>
#include <skiff/fwd.hpp>

#include <exception>
#include <stop_token>

namespace skiff::detail {

struct database_state;

/// Lives on the caller's stack until the call returns.
struct write_unit {
    void (*run)(void* context, transaction& tx) = nullptr;
    void* context = nullptr;
    skiff::deadline deadline;
    std::stop_token stop;
    bool repeatable = false;  ///< may run again when a neighbour took the transaction down (D15)
    bool alone = false;       ///< wants a transaction of its own
};

/// Queues the unit, waits until it is committed, and throws what went wrong.
commit_token submit(database_state& database, write_unit& unit);
/// Runs `work` on the writer connection alone, outside any transaction.
void submit_without_transaction(database_state& database,
                                void (*run)(void* context, connection& writer),
                                void* context,
                                const skiff::deadline& deadline);

}  // namespace skiff::detail
