// One run of a statement: from the cache or the holder's hand to its end.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"
#include "core/last_rowid.hpp"
#include "core/sql_text.hpp"

#include <skiff/arguments.hpp>
#include <skiff/detail/fetch.hpp>

namespace skiff::detail {

namespace {

/// SQL that is not kept: it may carry key material, it is rarely run twice, and a kept "explain"
/// would go on explaining the plan of an older schema.
bool is_cacheable(std::string_view sql) {
    const auto keyword = first_keyword(sql);
    return keyword != "pragma" && keyword != "attach" && keyword != "detach" &&
           keyword != "vacuum" && keyword != "explain";
}

void begin_run(prepared& run) {
    run.running = true;
    // What is there was thrown in a statement that just fails, when a callback that SQLite calls
    // while unwinding it runs SQL of its own.
    auto& thrown = run.connection->callback_exception;
    if (thrown != nullptr) [[unlikely]]
        run.outer_exception = std::exchange(thrown, nullptr);
}

/// Gives the statement around this run its exception back. Without one it is left over.
void end_nested_run(prepared& run) noexcept {
    const auto outer = std::exchange(run.outer_exception, nullptr);
    if (run.connection->first_running() != nullptr) run.connection->callback_exception = outer;
}

prepared& prepare_and_keep(connection_state& connection, std::string_view sql) {
    const bool cacheable = is_cacheable(sql);
    auto made = connection.prepare(sql, cacheable ? SQLITE_PREPARE_PERSISTENT : 0);
    if (cacheable) {
        try {
            if (auto* kept = connection.cache.insert(sql, made)) {
                kept->cached = true;
                return *kept;
            }
        } catch (...) {
            destroy(std::move(made));
            throw;
        }
    }
    made->orphaned = true;  // deleted when the run ends
    return *made.release();
}

/// The statement inserts, updates or deletes. WITH may begin any of them and is only asked about
/// statements that write.
bool changes_rows(std::string_view sql) {
    const auto keyword = first_keyword(sql);
    return keyword == "insert" || keyword == "update" || keyword == "delete" ||
           keyword == "replace" || keyword == "with";
}

}  // namespace

void destroy(std::unique_ptr<prepared> statement) noexcept {
    if (statement->connection != nullptr) statement->connection->unlink(*statement);
    sqlite3_finalize(statement->statement);
}

void connection_state::run_script(std::string_view script) {
    check_sql_size(script);
    const std::string sql(script);  // ends with a NUL: SQLite need not copy the rest each time
    std::size_t at = skip_blank(sql, 0);
    while (at < sql.size()) {
        std::size_t used = 0;
        auto made = prepare_first(std::string_view(sql).substr(at), used);
        made->orphaned = true;
        execution run(*made.release());
        begin_run(run.run());
        if (run.run().parameter_count > 0) throw_argument_count(run.run(), 0);
        if (!run.run().read_only) check_writable();
        while (run.step()) {
        }
        at = skip_blank(sql, at + used);
    }
}

prepared& start_cached(connection_state& connection, std::string_view sql) {
    const thread_check guard(connection);
    prepared* found = connection.cache.find(sql);
    prepared& run = found != nullptr ? *found : prepare_and_keep(connection, sql);
    begin_run(run);
    if (!run.read_only && connection.poisoned_by != 0) [[unlikely]] {
        finish(run);
        connection.check_writable();
    }
    return run;
}

void start(prepared& held) {
    if (held.connection == nullptr) throw_closed("the statement");
    const thread_check guard(*held.connection);
    if (held.running) {
        throw_error({.code = errc::misuse,
                     .message = "the statement is still running",
                     .operation = "use",
                     .sql = sqlite3_sql(held.statement),
                     .advice = "end the loop over its rows first, or prepare it twice"});
    }
    if (!held.read_only) held.connection->check_writable();
    begin_run(held);
}

void restart(prepared& run) {
    if (run.connection == nullptr) throw_closed("the statement");
    sqlite3_reset(run.statement);
}

void finish(prepared& run) noexcept {
    run.running = false;
    if (run.connection != nullptr) {
        const thread_check guard(*run.connection);
        auto& thrown = run.connection->callback_exception;
        const bool thrown_before = thrown != nullptr;
        // A statement that wrote and was left early commits in its reset.
        const int code = sqlite3_reset(run.statement);
        // The reset ends aggregates left half-way: what they throw is no other statement's error.
        if (thrown != nullptr && !thrown_before) [[unlikely]]
            thrown = nullptr;
        if (run.outer_exception != nullptr) [[unlikely]]
            end_nested_run(run);
        if (is_failed_sync(code)) [[unlikely]]
            run.connection->poison(code);
        if (run.holds_pointers) {
            sqlite3_clear_bindings(run.statement);
            run.holds_pointers = false;
        }
    }
    if (run.orphaned) destroy(std::unique_ptr<prepared>(&run));
}

void check_writing_loop(prepared& run) {
    const bool own_commit = !run.connection->in_transaction() && run.column_count > 0;
    if (!own_commit || !changes_rows(sqlite3_sql(run.statement))) return;
    throw_error({.code = errc::misuse,
                 .message = "a loop over rows that are being written needs a transaction: left "
                            "early, it could not report a failed commit",
                 .operation = "query",
                 .sql = sqlite3_sql(run.statement),
                 .advice = "take the rows with all(), or begin a transaction and commit it after "
                           "the loop"});
}

void abandon(prepared& run) noexcept {
    if (run.connection == nullptr || run.connection->in_transaction()) return;
    const thread_check guard(*run.connection);
    auto* db = run.connection->db;
    // A reset commits what was written so far, unless the commit hook refuses.
    sqlite3_commit_hook(db, [](void*) { return 1; }, nullptr);
    sqlite3_reset(run.statement);
    sqlite3_commit_hook(db, nullptr, nullptr);
}

int checked_step(prepared& run) {
    if (run.connection == nullptr) return SQLITE_MISUSE;
    const thread_check guard(*run.connection);
    return sqlite3_step(run.statement);
}

void refresh_columns(prepared& run) {
    auto* db = run.connection->db;
    // Reading makes SQLite notice that another connection changed the schema; preparing does not.
    sqlite3_exec(db, "select 1 from sqlite_schema limit 1", nullptr, nullptr, nullptr);
    sqlite3_stmt* again = nullptr;
    if (sqlite3_prepare_v3(db, sqlite3_sql(run.statement), -1, 0, &again, nullptr) == SQLITE_OK) {
        run.column_count = sqlite3_column_count(again);
    }
    sqlite3_finalize(again);
}

exec_result run_to_end(execution& run) {
    auto& statement = run.run();
    if (statement.read_only) {
        while (run.step()) {
        }
        return {};
    }
    auto* db = statement.connection->db;
    const auto before = sqlite3_total_changes64(db);
    const rowid_watch watch(*statement.connection);
    while (run.step()) {
    }
    // sqlite3_changes keeps its value across statements that change no rows.
    if (sqlite3_total_changes64(db) == before) return {};
    return {sqlite3_changes64(db), sqlite3_last_insert_rowid(db)};
}

std::ptrdiff_t column_stride(sqlite3_stmt* statement, int count) noexcept {
    if (count < 2) return 0;
    const auto address = [&](int index) {
        return reinterpret_cast<const char*>(sqlite3_column_value(statement, index));
    };
    const char* first = address(0);
    const std::ptrdiff_t stride = address(1) - first;
    for (int index = 2; index < count; ++index) {
        if (address(index) != first + index * stride) return 0;
    }
    return stride;
}

void throw_argument_count(prepared& run, std::size_t given) {
    throw_error({.code = errc::arguments,
                 .message = "the SQL takes " + std::to_string(run.parameter_count) +
                            " arguments, " + std::to_string(given) + " were given",
                 .operation = "bind",
                 .sql = sqlite3_sql(run.statement)});
}

int parameter_index(prepared& run, std::string_view name) {
    for (int index = 1; index <= run.parameter_count; ++index) {
        const char* found = sqlite3_bind_parameter_name(run.statement, index);
        if (found == nullptr) continue;
        const std::string_view full(found);
        if (full == name || full.substr(1) == name) return index;
    }
    std::string names;
    for (int index = 1; index <= run.parameter_count; ++index) {
        const char* found = sqlite3_bind_parameter_name(run.statement, index);
        names += index > 1 ? ", " : "";
        names += found != nullptr ? found : "?";
    }
    throw_error({.code = errc::arguments,
                 .message = "the SQL has no parameter of that name",
                 .operation = "bind",
                 .object = std::string(name),
                 .sql = sqlite3_sql(run.statement),
                 .advice = names.empty() ? "it has no parameters" : "its parameters are " + names});
}

void check_all_bound(prepared& run, std::span<const int> bound) {
    constexpr int bits = 64;  // up to so many parameters nothing is allocated
    std::uint64_t seen_few = 0;
    std::vector<bool> seen_many;
    if (run.parameter_count >= bits) seen_many.resize(std::size_t(run.parameter_count) + 1);
    for (const int index : bound) {
        const auto place = static_cast<std::size_t>(index);
        const bool again = seen_many.empty() ? (seen_few >> place & 1) != 0 : seen_many[place];
        if (seen_many.empty()) {
            seen_few |= std::uint64_t{1} << place;
        } else {
            seen_many[place] = true;
        }
        if (!again) continue;
        const char* name = sqlite3_bind_parameter_name(run.statement, index);
        throw_error({.code = errc::arguments,
                     .message = "two arguments were given for one parameter",
                     .operation = "bind",
                     .object = name != nullptr ? name : "parameter " + std::to_string(index),
                     .sql = sqlite3_sql(run.statement)});
    }
}

void bind_list(prepared& run, const argument_list& arguments, lifetime borrowed) {
    const auto given = arguments.positional.size() + arguments.by_name.size();
    if (given != static_cast<std::size_t>(run.parameter_count)) throw_argument_count(run, given);
    run.holds_pointers = true;
    std::vector<int> bound;
    for (const auto& each : arguments.positional) {
        bound.push_back(static_cast<int>(bound.size()) + 1);
        value_sink(run.statement, bound.back(), borrowed).write(each);
    }
    for (const auto& [name, content] : arguments.by_name) {
        bound.push_back(parameter_index(run, name));
        value_sink(run.statement, bound.back(), borrowed).write(content);
    }
    check_all_bound(run, bound);
}

}  // namespace skiff::detail
