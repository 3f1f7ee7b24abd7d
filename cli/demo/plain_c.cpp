// SQLite by hand. Bound texts are not copied (SQLITE_STATIC) and columns are read in place: what
// good C does.
#include "demo/plain_c.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace skiff_cli {

namespace {

struct close_connection {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
struct finalize_statement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using connection_handle = std::unique_ptr<sqlite3, close_connection>;
using statement_handle = std::unique_ptr<sqlite3_stmt, finalize_statement>;

constexpr int busy_timeout_ms = 60'000;

[[noreturn]] void fail(sqlite3* handle, const char* doing) {
    throw std::runtime_error(std::string("plain C, ") + doing + ": " + sqlite3_errmsg(handle));
}

void run(sqlite3* handle, const char* sql) {
    if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle, sql);
}

connection_handle open(const std::filesystem::path& path) {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    connection_handle handle(opened);
    if (code != SQLITE_OK) fail(opened, "open");
    sqlite3_busy_timeout(opened, busy_timeout_ms);
    run(opened, "pragma journal_mode = wal");
    run(opened, "pragma synchronous = full");
    run(opened, "pragma foreign_keys = on");
    run(opened, ("pragma mmap_size = " + std::to_string(mapped_bytes)).c_str());
    return handle;
}

statement_handle prepare(sqlite3* handle, std::string_view sql) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v3(handle, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    if (code != SQLITE_OK) fail(handle, "prepare");
    return statement_handle(prepared);
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

/// A connection that writes, used by one thread at a time.
struct writer_connection {
    connection_handle handle;
    statement_handle insert;
    moment until;       ///< when waiting for the lock ends, beside the timeout
    int waited_ms = 0;  ///< in the wait that is going on
};

/// What sqlite3_busy_timeout() installs, step for step (sqliteDefaultBusyCallback in main.c), and
/// one thing more: when the measuring is over it gives up. Waiting to the end would take seconds,
/// since threads that wait alike wake together and all but one wait again.
int wait_for_lock(void* context, int attempt) {
    constexpr std::array<int, 12> delays_ms = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};
    auto& writer = *static_cast<writer_connection*>(context);
    if (attempt == 0) writer.waited_ms = 0;
    const auto step = std::min(static_cast<std::size_t>(attempt), delays_ms.size() - 1);
    const int delay_ms = std::min(delays_ms[step], busy_timeout_ms - writer.waited_ms);
    if (delay_ms <= 0 || std::chrono::steady_clock::now() >= writer.until) return 0;
    writer.waited_ms += delay_ms;
    sqlite3_sleep(delay_ms);
    return 1;
}

class plain_c : public contender {
  public:
    plain_c(const contender_files& files, unsigned writers)
        : reader_(open(files.packages)), writers_(writers) {
        point_read_ = prepare(reader_.get(), point_read_sql);
        scan_ = prepare(reader_.get(), scan_sql);
        for (unsigned i = 0; i < writers; ++i) {
            auto& writer = writers_[i];
            writer.handle = open(files.log);
            if (i == 0) run(writer.handle.get(), std::string(log_table_sql).c_str());
            writer.insert = prepare(writer.handle.get(), log_insert_sql);
            sqlite3_busy_handler(writer.handle.get(), wait_for_lock, &writer);
        }
    }

    reported_settings settings() override {
        reported_settings all;
        all.emplace_back("sqlite", sqlite3_libversion());
        for (const char* name : compared_on_read) {
            all.emplace_back(std::string("reading: ") + name, pragma(reader_.get(), name));
        }
        for (const char* name : compared_on_write) {
            all.emplace_back(std::string("writing: ") + name,
                             pragma(writers_.back().handle.get(), name));
        }
        return all;
    }

    digest read_by_key(std::span<const std::int64_t> ids) override {
        digest result;
        sqlite3_stmt* const read = point_read_.get();
        for (const std::int64_t id : ids) {
            sqlite3_bind_int64(read, 1, id);
            if (sqlite3_step(read) != SQLITE_ROW) fail(reader_.get(), "read by key");
            result.add(sqlite3_column_int64(read, 0), sqlite3_column_int64(read, 1),
                       column_text(read, 2));
            sqlite3_reset(read);
        }
        return result;
    }

    digest scan() override {
        digest result;
        sqlite3_stmt* const rows = scan_.get();
        int code = 0;
        while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
            result.add(sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
                       column_text(rows, 2));
        }
        if (code != SQLITE_DONE) fail(reader_.get(), "scan");
        sqlite3_reset(rows);
        return result;
    }

    bool insert(unsigned writer, const log_line& line, moment until) override {
        writer_connection& own = writers_[writer];
        own.until = until;
        sqlite3_stmt* const insert = own.insert.get();
        sqlite3_bind_int64(insert, 1, line.writer);
        sqlite3_bind_int64(insert, 2, line.number);
        sqlite3_bind_text(insert, 3, line.text.data(), static_cast<int>(line.text.size()),
                          SQLITE_STATIC);
        const int code = sqlite3_step(insert);
        const bool gave_up = code == SQLITE_BUSY && std::chrono::steady_clock::now() >= until;
        if (code != SQLITE_DONE && !gave_up) fail(own.handle.get(), "insert");
        sqlite3_reset(insert);
        return !gave_up;
    }

    written_rows written() override {
        sqlite3* const handle = writers_.front().handle.get();
        const auto sums = prepare(handle, log_sums_sql);
        if (sqlite3_step(sums.get()) != SQLITE_ROW) fail(handle, "sum");
        return {sqlite3_column_int64(sums.get(), 0), sqlite3_column_int64(sums.get(), 1),
                sqlite3_column_int64(sums.get(), 2)};
    }

    void clear_written() override {
        run(writers_.front().handle.get(), std::string(log_clear_sql).c_str());
    }

  private:
    static std::string pragma(sqlite3* handle, const char* name) {
        const auto asked = prepare(handle, std::string("pragma ") + name);
        if (sqlite3_step(asked.get()) != SQLITE_ROW) return "";
        return std::string(column_text(asked.get(), 0));
    }

    // Statements are declared after their connection: they go first.
    connection_handle reader_;
    statement_handle point_read_;
    statement_handle scan_;
    std::vector<writer_connection> writers_;  // never resized: busy handlers point into it
};

}  // namespace

std::unique_ptr<contender> make_plain_c(const contender_files& files, unsigned writers) {
    return std::make_unique<plain_c>(files, writers);
}

}  // namespace skiff_cli
