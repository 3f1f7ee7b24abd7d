// Stock SQL, and the settings that each library starts with.
#include "drivers/engine_drivers.hpp"

#include "drivers/c_api.hpp"

#include <skiff/connection.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace skiff_bench {

namespace {

constexpr std::uint64_t prime = 0x100000001B3;  // FNV-1a's

/// Of the first column's value, whatever its type.
std::uint64_t digest_of(sqlite3_stmt* row) {
    switch (sqlite3_column_type(row, 0)) {
        case SQLITE_INTEGER:
            return static_cast<std::uint64_t>(sqlite3_column_int64(row, 0));
        case SQLITE_FLOAT:
            return std::bit_cast<std::uint64_t>(sqlite3_column_double(row, 0));
        case SQLITE_NULL:
            return 0;
        default:
            break;
    }
    const auto* text = sqlite3_column_text(row, 0);
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(row, 0));
    std::uint64_t tail = 0;  // keys of the suite differ at their ends
    const auto used = std::min(bytes, sizeof(tail));
    std::memcpy(&tail, text + bytes - used, used);
    return tail + bytes;
}

class c_engine final : public engine_session {
  public:
    c_engine() {
        if (sqlite3_open(":memory:", &db_) != SQLITE_OK) throw driver_error("open");
    }
    ~c_engine() override { sqlite3_close(db_); }
    c_engine(const c_engine&) = delete;
    c_engine& operator=(const c_engine&) = delete;

  private:
    sqlite3* handle() noexcept override { return db_; }
    sqlite3* db_ = nullptr;
};

class skiff_engine final : public engine_session {
    sqlite3* handle() noexcept override { return db_.native_handle(); }
    skiff::connection db_ = skiff::connection::open(":memory:");
};

template <class Session>
std::unique_ptr<engine_session> open() {
    return std::make_unique<Session>();
}

}  // namespace

std::uint64_t engine_session::execute(const std::string& sql) {
    sqlite3* db = handle();
    sqlite3_stmt* statement = nullptr;
    std::uint64_t digest = 0;
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            digest = (digest ^ digest_of(statement)) * prime;
        }
    }
    if (sqlite3_finalize(statement) != SQLITE_OK || sqlite3_errcode(db) != SQLITE_OK) {
        throw driver_error(sql + ": " + sqlite3_errmsg(db));
    }
    return digest;
}

std::map<std::string, std::string> engine_session::settings() {
    return settings_of(handle());
}

const std::vector<engine_driver>& engine_drivers() {
    static const std::vector<engine_driver> all{
        {"c", "SQLite's C interface, clang -O2", "plain", open<c_engine>},
        {"c-gcc", "the same, gcc -O2", "gcc", open<c_engine>},
        {"c-engine", "SQLite's C interface on Skiff's build", "ours", open<c_engine>},
        {"skiff", "Skiff's build and defaults", "ours", open<skiff_engine>},
        {"skiff-v3", "the same for processors of level x86-64-v3", "v3", open<skiff_engine>},
        {"skiff-native", "the same for this very processor", "native", open<skiff_engine>},
    };
    return all;
}

const engine_driver* find_engine_driver(std::string_view name) {
    const auto& all = engine_drivers();
    const auto found = std::ranges::find(all, name, &engine_driver::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace skiff_bench
