// Thin calls, errors as std::runtime_error.
#include "support/raw_sqlite.hpp"

#include <iterator>
#include <stdexcept>

namespace skiff_test {

namespace {

[[noreturn]] void fail(sqlite3* db, const std::string& what) {
    throw std::runtime_error(what + ": " + (db != nullptr ? sqlite3_errmsg(db) : "no memory"));
}

}  // namespace

raw_database::raw_database(const std::filesystem::path& path, int flags, const char* vfs) {
    if (sqlite3_open_v2(path.c_str(), &db_, flags, vfs) != SQLITE_OK) {
        const std::string problem = db_ != nullptr ? sqlite3_errmsg(db_) : "no memory";
        sqlite3_close(db_);
        throw std::runtime_error("open " + path.string() + ": " + problem);
    }
    sqlite3_extended_result_codes(db_, 1);
}

raw_database::~raw_database() {
    sqlite3_close(db_);
}

int raw_database::try_exec(const std::string& sql) noexcept {
    return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
}

void raw_database::exec(const std::string& sql) {
    if (try_exec(sql) != SQLITE_OK) fail(db_, sql);
}

std::vector<std::string> raw_database::column(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(db_, sql);
    std::vector<std::string> values;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
        values.emplace_back(text != nullptr ? std::string(text, size) : "NULL");
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) fail(db_, sql);
    return values;
}

std::string raw_database::text(const std::string& sql) {
    const auto values = column(sql);
    if (values.empty()) throw std::runtime_error(sql + ": no row");
    return values.front();
}

std::int64_t raw_database::number(const std::string& sql) {
    return std::stoll(text(sql));
}

std::string integrity_of(const std::filesystem::path& path) {
    try {
        raw_database db(path, SQLITE_OPEN_READWRITE);
        sqlite3_busy_timeout(db.handle(), 5000);
        std::string all;
        for (const auto& line : db.column("pragma integrity_check")) {
            all += (all.empty() ? "" : "; ") + line;
        }
        return all;
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
}

std::int64_t number_in(const std::filesystem::path& path, const std::string& sql) {
    raw_database db(path, SQLITE_OPEN_READWRITE);
    sqlite3_busy_timeout(db.handle(), 5000);
    return db.number(sql);
}

int open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<int>(std::distance(begin(all), end(all)));
}

}  // namespace skiff_test
