// One database and the SQL of one file of work/. Training calls SQLite's C interface, as the
// library that is trained is all there is to link.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace train {

/// Throws when an answer is wrong: a broken engine must not train.
void expect(bool right, std::string_view what);

/// SQL in named parts: "-- name" on a line of its own begins one.
class work_file {
  public:
    explicit work_file(const std::string& path);

    [[nodiscard]] const std::string& part(const std::string& name) const;
    [[nodiscard]] const std::map<std::string, std::string>& parts() const noexcept {
        return parts_;
    }

  private:
    std::map<std::string, std::string> parts_;
};

/// A connection whose statements are prepared once. One thread at a time.
class session {
  public:
    session(const work_file& work, const std::string& path);
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session();

    /// Runs a part that may be several statements.
    void all(const std::string& name);

    /// Runs a part with its parameters, reads every column of every row, returns how many rows.
    template <typename... Values>
    std::int64_t rows(const std::string& name, const Values&... values) {
        bind_all(name, values...);
        return step_all();
    }

    /// The same, but returns the first column of the first row.
    template <typename... Values>
    std::int64_t number(const std::string& name, const Values&... values) {
        rows(name, values...);
        return first_;
    }

    /// The part is compiled once more and not run.
    void prepare_only(const std::string& sql);

    [[nodiscard]] sqlite3* handle() const noexcept { return db_; }

  private:
    template <typename... Values>
    void bind_all(const std::string& name, const Values&... values) {
        choose(name);
        int position = 0;
        (bind(++position, values), ...);
    }

    void choose(const std::string& name);
    void bind(int position, std::int64_t value) { sqlite3_bind_int64(chosen_, position, value); }
    void bind(int position, int value) { sqlite3_bind_int64(chosen_, position, value); }
    void bind(int position, double value) { sqlite3_bind_double(chosen_, position, value); }
    void bind(int position, std::nullptr_t) { sqlite3_bind_null(chosen_, position); }
    void bind(int position, const std::string& value);
    void bind(int position, const char* value) { bind(position, std::string(value)); }
    void bind(int position, const std::vector<unsigned char>& value);
    std::int64_t step_all();
    [[noreturn]] void fail(const std::string& what) const;

    const work_file& work_;
    sqlite3* db_ = nullptr;
    std::map<std::string, sqlite3_stmt*> prepared_;
    sqlite3_stmt* chosen_ = nullptr;
    std::string chosen_name_;
    std::int64_t first_ = 0;
};

}  // namespace train
