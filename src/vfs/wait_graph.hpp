// Which connection of this process waits for which turn to write: two connections that hold one
// database each and want the other's would wait for each other until their time is over (rule C10).
// The one that would close the circle gives way. Circles through other processes are not seen.
#pragma once

namespace skiff::vfs {

class write_turn;

/// That a connection waits, from construction to destruction. Thread-safe.
class turn_wait {
  public:
    /// `connection` is only compared; null for one that is not known, which waits unseen.
    turn_wait(const void* connection, const write_turn& wanted) noexcept;
    ~turn_wait();
    turn_wait(const turn_wait&) = delete;
    turn_wait& operator=(const turn_wait&) = delete;

    /// Whether whoever has the turn waits, over others perhaps, for a turn that this connection
    /// has: then it must not wait.
    [[nodiscard]] bool closes_circle() const noexcept { return closes_circle_; }

  private:
    const void* connection_;
    bool closes_circle_ = false;
};

}  // namespace skiff::vfs
