// One shared transaction from BEGIN to COMMIT: runs units in savepoints, notices when the
// transaction was lost, and says what became of each unit.
#pragma once

#include "commit/queue.hpp"
#include "core/connection_state.hpp"

#include <cstdint>
#include <exception>
#include <vector>

namespace skiff::detail {

class writer;

/// Made by the leader for one batch. One thread at a time.
class batch {
  public:
    explicit batch(writer& owner) noexcept;

    /// Runs one unit; its own failure is kept in the waiter. The first unit begins the transaction
    /// and needs no savepoint, since undoing it is undoing all. False when the transaction was lost
    /// with other units' work in it: then every unit is settled and the batch is over.
    bool run(waiter& unit);
    /// Commits and settles every unit that ran.
    void commit();

  private:
    bool begin(waiter& unit);
    void call(waiter& unit);
    void check_unit(waiter& unit);
    bool keep(waiter& unit);
    bool undo(waiter& unit);
    void lose(const std::exception_ptr& cause);
    void run_again(waiter& unit);

    writer& owner_;
    connection_state& state_;
    std::vector<waiter*> kept_;  ///< units whose work is in the open transaction, in order (D18)
};

}  // namespace skiff::detail
