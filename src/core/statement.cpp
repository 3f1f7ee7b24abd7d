// The statement that a program holds itself.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"

#include <skiff/statement.hpp>

namespace skiff {

detail::prepared& statement::require() const {
    if (held_ == nullptr || held_->connection == nullptr) detail::throw_closed("the statement");
    return *held_;
}

detail::prepared& statement::start() {
    auto& held = require();
    detail::start(held);
    return held;
}

void statement::finalize() noexcept {
    auto* held = std::exchange(held_, nullptr);
    if (held == nullptr) return;
    if (held->running) {
        held->orphaned = true;  // the range that runs it deletes it
    } else {
        detail::destroy(std::unique_ptr<detail::prepared>(held));
    }
}

std::string_view statement::sql() const {
    return sqlite3_sql(require().statement);
}

int statement::column_count() const {
    return require().column_count;
}

std::string_view statement::column_name(int index) const {
    return detail::column_name(require().statement, index);
}

int statement::parameter_count() const {
    return require().parameter_count;
}

std::string_view statement::parameter_name(int index) const {
    const char* name = sqlite3_bind_parameter_name(require().statement, index);
    return name != nullptr ? std::string_view(name) : std::string_view();
}

bool statement::read_only() const {
    return require().read_only;
}

}  // namespace skiff
