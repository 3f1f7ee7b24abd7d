// The order matters here: the busy timeout is set before anything touches the file (so that opening
// waits for other programs, too), then the settings that hold without I/O, then the journal mode.
#include "core/open.hpp"

#include "core/array_table.hpp"
#include "core/checkpoint_hook.hpp"
#include "core/error_map.hpp"
#include "core/last_rowid.hpp"
#include "core/operation.hpp"
#include "core/processor.hpp"
#include "vfs/registry.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <thread>

namespace skiff::detail {

namespace {

using std::chrono::steady_clock;

/// Pauses between attempts to open a file that others are switching or recovering.
constexpr std::chrono::milliseconds open_retry_pause{1};
/// SQLite takes an int: 24 days.
constexpr std::chrono::milliseconds busy_timeout_max{INT_MAX};

int open_flags(const open_options& options, name_kind kind) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (kind == name_kind::uri) flags |= SQLITE_OPEN_URI;
    switch (options.mode) {
        case open_mode::create:
            return flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        case open_mode::read_write:
            return flags | SQLITE_OPEN_READWRITE;
        case open_mode::read_only:
            return flags | SQLITE_OPEN_READONLY;
    }
    return flags;
}

/// Skiff's VFS keeps a database shut whose sync failed (vfs/sync_marker.hpp).
const char* advice_for_unsynced(int code) noexcept {
    switch (code) {
        case SQLITE_IOERR_FSYNC:
            return "a sync of this file failed before: see that the disk works and no program uses "
                   "the file, and open it again";
        case SQLITE_IOERR_DATA:
            return "the disk has lost commits that it had taken: restore a copy, or remove the "
                   "file "
                   "with '-unsynced' after its name to go on without them";
        default:
            return nullptr;
    }
}

std::string file_name(const std::string& name, name_kind kind) {
    if (name.find('\0') != std::string::npos) {
        throw_error({.code = errc::cannot_open,
                     .message = "a file name cannot hold a NUL byte",
                     .operation = "open",
                     .object = name.substr(0, name.find('\0'))});
    }
    // A library built to read every name as a URI must not do so with paths.
    if (kind == name_kind::path && name.starts_with("file:")) return "./" + name;
    return name;
}

[[noreturn]] void throw_open_error(sqlite3* db, int code, const std::string& name) {
    auto details = details_of(db, code, "open");
    details.object = name;
    if (details.code == errc::cannot_open) {
        details.advice =
            "check that the directory exists and may be written, and that the name "
            "is not a directory";
    }
    if (const char* advice = advice_for_unsynced(code)) details.advice = advice;
    throw_error(std::move(details));
}

void configure(sqlite3* db, const open_options& options) {
    const auto set = [db](int option, bool on) {
        sqlite3_db_config(db, option, on ? 1 : 0, nullptr);
    };
    set(SQLITE_DBCONFIG_ENABLE_FKEY, options.foreign_keys);
    set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.trusted_schema);
    set(SQLITE_DBCONFIG_DQS_DML, options.double_quoted_strings);
    set(SQLITE_DBCONFIG_DQS_DDL, options.double_quoted_strings);
}

/// Runs a pragma and returns the first column of its first row.
std::string pragma(connection_state& connection, const std::string& sql, int& code) {
    sqlite3_stmt* statement = nullptr;
    std::string answer;
    code = sqlite3_prepare_v2(connection.db, sql.c_str(), -1, &statement, nullptr);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            const auto* text = sqlite3_column_text(statement, 0);
            if (text != nullptr) answer = reinterpret_cast<const char*>(text);
            code = SQLITE_OK;
        } else if (code == SQLITE_DONE) {
            code = SQLITE_OK;
        }
    }
    sqlite3_finalize(statement);
    return answer;
}

/// The same, retried while other programs hold the file: SQLite does not call the busy handler for
/// every lock that changing the journal mode needs.
std::string patient_pragma(connection_state& connection,
                           const std::string& name,
                           const std::string& sql) {
    const auto until = steady_clock::now() + connection.options.busy_timeout;
    for (;;) {
        int code = SQLITE_OK;
        auto answer = pragma(connection, sql, code);
        if (code == SQLITE_OK) return answer;
        const auto* cut_by = connection.current_operation;
        const bool over =
            steady_clock::now() >= until || (cut_by != nullptr && cut_by->must_stop());
        if ((code & 0xff) != SQLITE_BUSY || over) {
            throw_open_error(connection.db, code, name);
        }
        std::this_thread::sleep_for(open_retry_pause);
    }
}

void check_durability(const open_options& options) {
    if (options.durability != durability::off || options.allow_durability_off) return;
    throw_error({.code = errc::refused,
                 .message = "durability::off can corrupt the file on power loss",
                 .operation = "open",
                 .advice = "set allow_durability_off as well if that is what you want"});
}

void set_journal(connection_state& connection, const std::string& name) {
    const auto& options = connection.options;
    if (options.mode == open_mode::read_only || options.journal == journal_mode::keep) {
        // Reads the header, so that a file that is no database is found now and not later.
        patient_pragma(connection, name, "pragma schema_version");
        return;
    }
    const bool wal = options.journal == journal_mode::wal;
    const auto mode = patient_pragma(
        connection, name, wal ? "pragma journal_mode=wal" : "pragma journal_mode=delete");
    const char* path = sqlite3_db_filename(connection.db, "main");
    const bool has_file = path != nullptr && path[0] != '\0';
    if (!wal || mode == "wal" || !has_file || mode == "memory") return;
    throw_error({.code = errc::unsupported,
                 .message = "the file cannot be put into WAL mode, it stays in '" + mode + "'",
                 .operation = "open",
                 .object = name,
                 .advice = "open with journal_mode::keep or rollback; WAL needs shared memory, "
                           "which network file systems lack"});
}

bool is_on_our_vfs(sqlite3* db) noexcept {
    vfs::vfs_status ignored;
    return sqlite3_file_control(db, "main", vfs::fcntl_status, &ignored) == SQLITE_OK;
}

void set_pragmas(connection_state& connection, const std::string& name) {
    const auto& options = connection.options;
    // Without a WAL, FULL leaves the directory unsynced, and a commit whose journal comes back
    // after a power loss is undone (sqlite.org/pragma.html#pragma_synchronous). On a WAL both are
    // the same.
    const bool wal = options.journal == journal_mode::wal;
    const char* synchronous[] = {wal ? "full" : "extra", "normal", "off"};
    const auto level = static_cast<std::size_t>(options.durability);
    patient_pragma(connection, name, std::string("pragma synchronous=") + synchronous[level]);
    if (options.page_cache_kib > 0) {
        patient_pragma(connection, name,
                       "pragma cache_size=-" + std::to_string(options.page_cache_kib));
    }
    // 64 GiB of address space, which is what our VFS maps (main_file.cpp).
    constexpr long long all_bytes = 1LL << 36;
    const bool maps_all = options.mmap_bytes < 0 && is_on_our_vfs(connection.db);
    const long long mapped = maps_all ? all_bytes : options.mmap_bytes;
    if (mapped > 0) {
        patient_pragma(connection, name, "pragma mmap_size=" + std::to_string(mapped));
    }
}

/// Who asks for the write lock without a wait holds a read mark meanwhile, which keeps the log from
/// being reset when it is asked for again and again: so the shortest wait instead of none.
void wait_for_writers_in_vfs(connection_state& connection) noexcept {
    connection.waits_in_vfs = is_on_our_vfs(connection.db);
#if SQLITE_VERSION_NUMBER >= 3050000
    const bool has_patience = connection.options.busy_timeout > std::chrono::milliseconds{0};
    if (connection.waits_in_vfs && !has_patience) sqlite3_setlk_timeout(connection.db, 1, 0);
#endif
}

void tell_alarm(void* context, const vfs::held_back_log& found) noexcept try {
    const auto& options = static_cast<connection_state*>(context)->options;
    const std::chrono::microseconds oldest(found.oldest_read_us);
    options.on_log_held_back({.path = found.path,
                              .log_bytes = found.log_bytes,
                              .oldest_read = duration_cast<std::chrono::milliseconds>(oldest)});
} catch (...) {
    return;  // as open_options says: it runs on a thread that nobody waits for
}

void set_log_alarm(connection_state& connection) {
    if (!connection.options.on_log_held_back) return;
    vfs::log_alarm_hook hook{tell_alarm, &connection};
    // Another VFS has no such thing.
    sqlite3_file_control(connection.db, "main", vfs::fcntl_set_log_alarm, &hook);
}

}  // namespace

std::unique_ptr<connection_state> open_connection(const std::string& name,
                                                  name_kind kind,
                                                  const open_options& options,
                                                  const wait_limits& limits) {
    check_durability(options);
    check_processor();
    // Once and by one thread: SQLite's own test of "initialised yet" is not atomic.
    [[maybe_unused]] static const int initialised = sqlite3_initialize();
    if (sqlite3_threadsafe() == 0) {
        throw_error({.code = errc::unsupported,
                     .message = "this SQLite was built without thread safety (THREADSAFE=0)",
                     .operation = "open",
                     .object = name,
                     .advice = "use the SQLite that comes with Skiff, or another build"});
    }
    const auto file = file_name(name, kind);
    auto made = std::make_unique<connection_state>(options);
    auto& timeout = made->options.busy_timeout;
    timeout = std::clamp(timeout, std::chrono::milliseconds{0}, busy_timeout_max);
    if (const int failed = vfs::register_vfs()) throw_open_error(nullptr, failed, name);
    const int code = sqlite3_open_v2(file.c_str(), &made->db, open_flags(options, kind),
                                     options.vfs.empty() ? vfs::vfs_name : options.vfs.c_str());
    if (code != SQLITE_OK) throw_open_error(made->db, code, name);
    sqlite3_extended_result_codes(made->db, 1);
    const operation cut_by(*made, limits.until, limits.stop);
    if (cut_by.limited()) {
        install_busy_handler(*made);
    } else {
        sqlite3_busy_timeout(made->db, static_cast<int>(made->options.busy_timeout.count()));
    }
    configure(made->db, options);
    // Sorts that do not fit the page cache are cut into runs, and threads may sort runs meanwhile.
    sqlite3_limit(made->db, SQLITE_LIMIT_WORKER_THREADS, std::max(options.sort_threads, 0));
    int failed = register_array_table(*made);
    if (failed == SQLITE_OK) failed = register_last_insert_rowid(*made);
    if (failed != SQLITE_OK) {
        throw_open_error(made->db, failed, name);
    }
    // SQLite opens a file that may not be written as read-only without a word.
    if (options.mode != open_mode::read_only && sqlite3_db_readonly(made->db, "main") == 1) {
        throw_error({.code = errc::read_only,
                     .message = "the file may only be read",
                     .operation = "open",
                     .object = name,
                     .advice = "change its permissions, or open it with open_mode::read_only"});
    }
    set_journal(*made, name);
    set_pragmas(*made, name);
    install_checkpoint_hook(*made);
    wait_for_writers_in_vfs(*made);
    if (options.mmap_bytes == 0) {
        sqlite3_file_control(made->db, "main", vfs::fcntl_forbid_maps, nullptr);
    }
    if (!options.alone_mode) {
        sqlite3_file_control(made->db, "main", vfs::fcntl_forbid_alone, nullptr);
    }
    set_log_alarm(*made);
    return made;
}

}  // namespace skiff::detail
