// SQLite's C interface with the least around it: the base that others are measured against.
#pragma once

#include "drivers/driver.hpp"

#include <sqlite3.h>

namespace skiff_bench {

/// What driver::settings() is about, of any connection.
[[nodiscard]] std::map<std::string, std::string> settings_of(sqlite3* db);

/// A connection of a session; statements are prepared once. One thread at a time.
class c_connection {
  public:
    c_connection(const profile& how, const char* vfs, long long mmap_bytes);
    ~c_connection();
    c_connection(const c_connection&) = delete;
    c_connection& operator=(const c_connection&) = delete;

    void run(const std::string& sql);
    [[nodiscard]] std::string one(const std::string& sql);
    [[nodiscard]] sqlite3_stmt* prepare(const char* sql);
    [[nodiscard]] sqlite3* handle() const noexcept { return db_; }
    [[noreturn]] void fail(const std::string& doing) const;
    [[nodiscard]] std::map<std::string, std::string> settings() { return settings_of(db_); }

  private:
    sqlite3* db_ = nullptr;
};

/// Reads and inserts with held statements, as a careful C program does.
class c_session final : public session {
  public:
    c_session(const profile& how, const char* vfs, long long mmap_bytes);
    ~c_session() override;

    bool read(std::int64_t key) override;
    void insert(std::string_view value) override;
    [[nodiscard]] c_connection& connection() noexcept { return db_; }

  private:
    c_connection db_;
    sqlite3_stmt* select_;
    sqlite3_stmt* insert_;
};

std::unique_ptr<driver> open_c(const profile& how);
std::unique_ptr<driver> open_c_mmap(const profile& how);
std::unique_ptr<driver> open_c_vfs(const profile& how);
std::unique_ptr<driver> open_c_vfs_mmap(const profile& how);

}  // namespace skiff_bench
