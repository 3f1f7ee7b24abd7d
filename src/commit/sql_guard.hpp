// Keeps the SQL of write closures from changing what the writer connection and its transaction owe
// to other callers (rules D6 and D7): transaction control, attached files, settings, temporary
// tables. Refused at the call that tries, with what to do instead.
#pragma once

#include "core/connection_state.hpp"

#include <memory>
#include <string>
#include <utility>

namespace skiff::detail {

/// Watches one connection: SQLite's authorizer, asked once for each prepared statement.
/// One thread at a time, together with its connection.
class sql_guard {
  public:
    explicit sql_guard(connection_state& connection) noexcept;
    ~sql_guard();
    sql_guard(const sql_guard&) = delete;
    sql_guard& operator=(const sql_guard&) = delete;

    /// Lets everything pass, for work outside transactions.
    void set_open(bool open) noexcept { open_ = open; }

    /// Whether the schema may have changed since it was last looked at.
    [[nodiscard]] bool schema_changed() const noexcept { return schema_changed_; }
    void note_schema_seen() noexcept { schema_changed_ = false; }
    /// Whether `pragma defer_foreign_keys` was used since last asked (rule D8).
    [[nodiscard]] bool take_deferred_keys() noexcept {
        return std::exchange(deferred_keys_, false);
    }

  private:
    static int authorize(void* context,
                         int action,
                         const char* first,
                         const char* second,
                         const char* schema,
                         const char* trigger) noexcept;
    int decide(int action, const char* first, const char* second, const char* schema);
    int decide_pragma(const char* name, const char* argument);
    int refuse(std::string reason);

    connection_state& connection_;
    std::shared_ptr<connection_link> link_;  ///< the connection may die first
    bool open_ = false;
    bool schema_changed_ = true;
    bool deferred_keys_ = false;
};

/// Whether an "on conflict rollback" or "raise(rollback)" in the schema can end the transaction
/// under everybody in it (rule D7). Throws when the schema cannot be read.
bool schema_can_roll_back(connection_state& connection);

}  // namespace skiff::detail
