// Ctrl-C as a stop token: the first one asks the work in hand to stop, the second one ends the
// program at once. Without work in hand the first one ends the program.
#pragma once

#include <skiff/fwd.hpp>

#include <stop_token>

namespace skiff_cli {

/// Starts listening for Ctrl-C. Call once, in main(), before any other thread is started: they
/// inherit that SIGINT does not reach them.
void watch_interrupts();

/// Work that Ctrl-C can stop. While it lives, the first Ctrl-C requests a stop of token() and
/// interrupts `connection` until the scope ends. Scopes nest; the innermost one is asked. Made and
/// destroyed on the main thread; the token may be used anywhere.
class interrupt_scope {
  public:
    interrupt_scope() : interrupt_scope(nullptr) {}
    explicit interrupt_scope(skiff::connection& connection) : interrupt_scope(&connection) {}
    /// `connection` may be null.
    explicit interrupt_scope(skiff::connection* connection);
    interrupt_scope(const interrupt_scope&) = delete;
    interrupt_scope& operator=(const interrupt_scope&) = delete;
    ~interrupt_scope();

    [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }
    [[nodiscard]] bool requested() const noexcept { return stop_.stop_requested(); }
    /// Throws interrupted_by_user when a stop was requested.
    void check() const;

  private:
    friend struct interrupt_watcher;
    std::stop_source stop_;
    skiff::connection* connection_ = nullptr;
    interrupt_scope* outer_ = nullptr;
};

}  // namespace skiff_cli
