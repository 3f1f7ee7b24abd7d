// Reads work files, prepares their parts when they are first used, and steps through answers.
#include "session.hpp"

#include <fstream>

namespace train {

namespace {

bool names_a_part(const std::string& line) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
    return line.starts_with("-- ") && line.find_first_not_of(letters, 3) == std::string::npos;
}

/// Reads a column as a program would, by its type.
void read_column(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            sqlite3_column_int64(statement, column);
            break;
        case SQLITE_FLOAT:
            sqlite3_column_double(statement, column);
            break;
        case SQLITE_BLOB:
            sqlite3_column_blob(statement, column);
            sqlite3_column_bytes(statement, column);
            break;
        case SQLITE_TEXT:
            sqlite3_column_text(statement, column);
            sqlite3_column_bytes(statement, column);
            break;
        default:
            break;
    }
}

}  // namespace

void expect(bool right, std::string_view what) {
    if (!right) throw std::runtime_error("wrong answer: " + std::string(what));
}

work_file::work_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::string line;
    std::string name;
    while (std::getline(file, line)) {
        if (names_a_part(line)) {
            name = line.substr(3);
        } else if (!name.empty()) {
            parts_[name] += line + '\n';
        }
    }
}

const std::string& work_file::part(const std::string& name) const {
    const auto found = parts_.find(name);
    if (found == parts_.end()) throw std::runtime_error("no part '" + name + "'");
    return found->second;
}

session::session(const work_file& work, const std::string& path) : work_(work) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) fail("open " + path);
}

session::~session() {
    for (const auto& [name, statement] : prepared_) sqlite3_finalize(statement);
    sqlite3_close(db_);
}

void session::all(const std::string& name) {
    if (sqlite3_exec(db_, work_.part(name).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail(name);
    }
}

void session::choose(const std::string& name) {
    auto& statement = prepared_[name];
    if (statement == nullptr &&
        sqlite3_prepare_v2(db_, work_.part(name).c_str(), -1, &statement, nullptr) != SQLITE_OK) {
        fail(name);
    }
    chosen_ = statement;
    chosen_name_ = name;
}

void session::bind(int position, const std::string& value) {
    sqlite3_bind_text(chosen_, position, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
}

void session::bind(int position, const std::vector<unsigned char>& value) {
    sqlite3_bind_blob(chosen_, position, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
}

std::int64_t session::step_all() {
    std::int64_t count = 0;
    first_ = 0;
    int code = SQLITE_OK;
    while ((code = sqlite3_step(chosen_)) == SQLITE_ROW) {
        if (count++ == 0) first_ = sqlite3_column_int64(chosen_, 0);
        const int columns = sqlite3_column_count(chosen_);
        for (int column = 0; column < columns; ++column) read_column(chosen_, column);
    }
    if (code != SQLITE_DONE) fail(chosen_name_);
    sqlite3_reset(chosen_);
    return count;
}

void session::prepare_only(const std::string& sql) {
    const char* rest = sql.c_str();
    while (*rest != '\0') {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db_, rest, -1, &statement, &rest) != SQLITE_OK) fail(sql);
        sqlite3_finalize(statement);
    }
}

void session::fail(const std::string& what) const {
    throw std::runtime_error(what + ": " + sqlite3_errmsg(db_));
}

}  // namespace train
