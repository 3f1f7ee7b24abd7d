// Rows are numbered by the database itself, so that it must hold 1 … n whatever failed (oracle O1).
#include "crash/io_fault_script.hpp"

#include "crash/attacked_os.hpp"
#include "support/child_process.hpp"
#include "support/raw_sqlite.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/registry.hpp"
#include "vfs/status.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <signal.h>
#include <stdexcept>
#include <unistd.h>

namespace skiff_test {

namespace {

constexpr const char* schema_sql = "create table if not exists t(n integer primary key, pad blob)";
constexpr const char* insert_sql =
    "insert into t select coalesce(max(n),0)+1, randomblob(3000) from t returning n";

/// A connection over our VFS; null when it cannot be opened.
std::unique_ptr<raw_database> try_open(const std::filesystem::path& path, script_log& log) {
    sqlite3* opened = nullptr;
    skiff::vfs::register_vfs();
    const int code = sqlite3_open_v2(path.c_str(), &opened, open_flags, skiff::vfs::vfs_name);
    sqlite3_close(opened);
    if (code != SQLITE_OK) {
        log.codes.push_back(code);
        return nullptr;
    }
    try {
        auto db = open_ours(path);
        if (vfs_of(*db) != "skiff") log.wrong.push_back("a12: it is served by " + vfs_of(*db));
        for (const auto* sql :
             {"pragma busy_timeout=200", "pragma journal_mode=wal", "pragma synchronous=full",
              "pragma wal_autocheckpoint=0", "pragma mmap_size=268435456", schema_sql}) {
            if (const int failed = db->try_exec(sql)) log.codes.push_back(failed);
        }
        return db;
    } catch (const std::exception&) {
        log.codes.push_back(SQLITE_CANTOPEN);
        return nullptr;
    }
}

void end_transaction(raw_database& db) {
    if (sqlite3_get_autocommit(db.handle()) == 0) static_cast<void>(db.try_exec("rollback"));
}

void write_row(raw_database* db, script_log& log) {
    if (db == nullptr) return;
    try {
        log.acknowledged =
            std::max<std::int64_t>(log.acknowledged, std::stoll(db->text(insert_sql)));
    } catch (const std::exception&) {
        log.codes.push_back(sqlite3_extended_errcode(db->handle()));
        end_transaction(*db);
    }
}

void run(raw_database* db, const char* sql, script_log& log) {
    if (db == nullptr) return;
    if (const int code = db->try_exec(sql)) log.codes.push_back(code);
    end_transaction(*db);
}

void use_again(raw_database* db) {
    if (db != nullptr) static_cast<void>(db->try_exec("select count(*) from t"));
}

bool is_stuck(const raw_database* db) {
    int level = SQLITE_LOCK_NONE;
    if (db != nullptr) {
        sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_LOCKSTATE, &level);
    }
    return level > SQLITE_LOCK_SHARED;
}

bool is_poisoned(const raw_database& db) {
    skiff::vfs::vfs_status status;
    const int code = sqlite3_file_control(db.handle(), "main", skiff::vfs::fcntl_status, &status);
    return code == SQLITE_OK && status.poisoned_by != 0;
}

/// While our connections are open and idle, another program may write, unless a sync failed: then
/// it must not (rule B21). A lock on the database file that could not be given back stays until the
/// next one is, as it does with SQLite's own VFS.
void try_as_stock(const std::filesystem::path& path, const raw_database* ours, script_log& log) {
    if (ours == nullptr || vfs_of(*ours) != "skiff" || !std::filesystem::exists(path)) return;
    if (is_stuck(ours)) return;
    const bool poisoned = is_poisoned(*ours);
    if (poisoned && log.locks_may_fail) return;
    const auto stock = open_stock(path);
    const std::string patience = poisoned ? "20" : "3000";
    static_cast<void>(stock->try_exec("pragma busy_timeout=" + patience));
    const int code = stock->try_exec("begin immediate; rollback");
    end_transaction(*stock);
    if (!poisoned && code != SQLITE_OK) {
        log.wrong.push_back("a stock program cannot write: " + std::to_string(code));
    }
    if (poisoned && code == SQLITE_OK && stock->text("pragma journal_mode") == "wal") {
        log.wrong.emplace_back("a stock program may write after a failed sync");
    }
}

}  // namespace

void life_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end) {
    {
        const auto db = try_open(path, log);
        for (int row = 0; row < 3; ++row) write_row(db.get(), log);
        run(db.get(), "pragma wal_checkpoint(passive)", log);
        write_row(db.get(), log);
        run(db.get(), "pragma wal_checkpoint(truncate)", log);
        write_row(db.get(), log);
    }
    const auto db = try_open(path, log);
    write_row(db.get(), log);
    run(db.get(), "pragma wal_checkpoint(restart)", log);
    write_row(db.get(), log);
    run(db.get(), "select sum(length(pad)) from t", log);
    end();
    use_again(db.get());
    try_as_stock(path, db.get(), log);
}

void turns_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end) {
    const auto one = try_open(path, log);
    const auto two = try_open(path, log);
    write_row(one.get(), log);
    write_row(two.get(), log);
    run(one.get(), "pragma cache_size=5", log);
    run(one.get(),
        "begin immediate; update t set pad = randomblob(60000); update t set pad = randomblob(90); "
        "update t set pad = randomblob(3000); commit",
        log);
    run(two.get(), "begin immediate; update t set pad = zeroblob(9000); rollback", log);
    write_row(two.get(), log);
    run(two.get(), "begin; select * from t; update t set pad = zeroblob(100); commit", log);
    run(one.get(), "pragma wal_checkpoint(full)", log);
    write_row(one.get(), log);
    run(two.get(), "select sum(length(pad)) from t", log);
    end();
    use_again(one.get());
    use_again(two.get());
    if (!is_stuck(two.get())) try_as_stock(path, one.get(), log);
}

void recover_script(const std::filesystem::path& path, script_log& log, const end_of_faults& end) {
    log.acknowledged = 6;
    const auto db = try_open(path, log);
    run(db.get(), "select sum(length(pad)) from t", log);
    write_row(db.get(), log);
    run(db.get(), "pragma wal_checkpoint(truncate)", log);
    write_row(db.get(), log);
    end();
    use_again(db.get());
    try_as_stock(path, db.get(), log);
}

void leave_by_kill(const std::filesystem::path& path) {
    const auto told = run_in_child([&] {
        script_log log;
        const auto db = try_open(path, log);
        for (int row = 0; row < 3; ++row) write_row(db.get(), log);
        run(db.get(), "pragma wal_checkpoint(passive)", log);
        for (int row = 0; row < 3; ++row) write_row(db.get(), log);
        const os_attack dies({.call = os_call::sync, .effect = os_effect::kill});
        write_row(db.get(), log);
        return std::string("lives");
    });
    if (told.signal != SIGKILL) throw std::runtime_error("the process was not killed");
}

std::vector<std::string> faults_left(const std::filesystem::path& path, const script_log& log) {
    auto wrong = log.wrong;
    // CORRUPT is what SQLite makes of EIO when a page is read (SQLITE_IOERR_CORRUPTFS).
    constexpr std::array typed = {SQLITE_IOERR, SQLITE_FULL,     SQLITE_CANTOPEN, SQLITE_BUSY,
                                  SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_ERROR,    SQLITE_CORRUPT};
    for (const int code : log.codes) {
        if (std::ranges::find(typed, code & 0xff) == typed.end()) {
            wrong.push_back("an untyped error: " + std::to_string(code));
        }
    }
    if (!std::filesystem::exists(path)) {
        if (log.acknowledged > 0) wrong.emplace_back("the database is gone");
        return wrong;
    }
    try {
        {
            const auto stock = open_stock(path);
            static_cast<void>(stock->try_exec("pragma busy_timeout=3000"));
            const auto integrity = stock->text("pragma integrity_check");
            if (integrity != "ok") wrong.push_back(integrity);
            stock->exec(schema_sql);
            const auto rows = stock->number("select count(*) from t");
            if (rows != stock->number("select coalesce(max(n),0) from t")) {
                wrong.emplace_back("the rows are not 1 to n");
            }
            if (rows < log.acknowledged) {
                wrong.push_back(std::to_string(log.acknowledged) + " acknowledged, there are " +
                                std::to_string(rows));
            }
            stock->exec(insert_sql);
        }
        const auto ours = open_ours(path);
        ours->exec(insert_sql);
    } catch (const std::exception& thrown) {
        wrong.emplace_back(thrown.what());
    }
    return wrong;
}

void remove_database(const std::filesystem::path& path) {
    const auto name = path.filename().string();
    for (const auto& each : std::filesystem::directory_iterator(path.parent_path())) {
        if (each.path().filename().string().starts_with(name)) {
            std::filesystem::remove(each.path());
        }
    }
}

}  // namespace skiff_test
