// SQLite's user data for a function is a registered_function, which lives as long as its connection
// has the function; through it a callback finds its callable and where to leave an exception.
#include "core/function_table.hpp"

#include "core/error_map.hpp"

#include <memory>
#include <utility>

namespace skiff::detail {

namespace {

registered_function& registered(sqlite3_context* context) noexcept {
    return *static_cast<registered_function*>(sqlite3_user_data(context));
}

int text_flags(const function_options& options) noexcept {
    int flags = SQLITE_UTF8;
    if (options.deterministic) flags |= SQLITE_DETERMINISTIC;
    if (options.direct_only) flags |= SQLITE_DIRECTONLY;
    if (options.innocuous) flags |= SQLITE_INNOCUOUS;
    return flags;
}

int create(sqlite3* db, const std::string& name, registered_function* made) {
    const auto& definition = made->definition;
    const int flags = text_flags(definition.options);
    const auto destroy = [](void* user_data) {
        delete static_cast<registered_function*>(user_data);
    };
    if (definition.inverse != nullptr) {
        return sqlite3_create_window_function(db, name.c_str(), definition.argument_count, flags,
                                              made, definition.step, definition.finish,
                                              definition.value, definition.inverse, destroy);
    }
    return sqlite3_create_function_v2(db, name.c_str(), definition.argument_count, flags, made,
                                      definition.call, definition.step, definition.finish, destroy);
}

}  // namespace

void* function_object(sqlite3_context* context) noexcept {
    return registered(context).definition.object.get();
}

const char* function_name(sqlite3_context* context) noexcept {
    return registered(context).definition.name.c_str();
}

void report_exception(sqlite3_context* context) noexcept {
    registered(context).connection->keep_callback_exception();
    try {
        throw;
    } catch (const std::bad_alloc&) {
        sqlite3_result_error_nomem(context);
    } catch (const std::exception& thrown) {
        sqlite3_result_error(context, thrown.what(), -1);
    } catch (...) {
        sqlite3_result_error(context, "a function threw an exception", -1);
    }
}

void* aggregate_memory(sqlite3_context* context, std::size_t bytes, bool make) noexcept {
    return sqlite3_aggregate_context(context, make ? static_cast<int>(bytes) : 0);
}

void register_function(connection_state& connection, function_definition made) {
    const thread_check guard(connection);
    const std::string name = made.name;
    // SQLite destroys the user data itself, also when registration fails.
    const int code =
        create(connection.db, name, new registered_function{&connection, std::move(made)});
    if (code != SQLITE_OK) throw_object_error(connection.db, code, "define_function", name);
}

void register_collation(connection_state& connection, const collation_definition& made) {
    const thread_check guard(connection);
    struct shared_collation {
        collation_definition definition;
    };
    auto held = std::make_unique<shared_collation>(shared_collation{made});
    const int code = sqlite3_create_collation_v2(
        connection.db, made.name.c_str(), SQLITE_UTF8, held.get(),
        [](void* context, int left_bytes, const void* left, int right_bytes, const void* right) {
            const auto& definition = static_cast<shared_collation*>(context)->definition;
            return definition.compare(definition.object.get(), left_bytes, left, right_bytes,
                                      right);
        },
        [](void* context) { delete static_cast<shared_collation*>(context); });
    // Unlike for functions, SQLite does not destroy the object when registration fails.
    if (code != SQLITE_OK) throw_object_error(connection.db, code, "define_collation", made.name);
    static_cast<void>(held.release());
    // SQLite's sorting threads would compare with it, several at a time.
    sqlite3_limit(connection.db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

}  // namespace skiff::detail
