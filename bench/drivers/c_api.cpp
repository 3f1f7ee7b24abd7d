// One connection a thread, a busy timeout, statements prepared once: SQLite's own advice.
#include "drivers/c_api.hpp"

#include <skiff/vfs.hpp>

namespace skiff_bench {

namespace {

constexpr int busy_timeout_ms = 60'000;
/// More than the file: what a C program sets that wants all of it mapped.
constexpr long long mapped_bytes = 256LL << 20;

[[noreturn]] void fail_with(sqlite3* db, const std::string& doing) {
    throw driver_error(doing + ": " + sqlite3_errmsg(db));
}

/// The first column of the first row; empty without one.
std::string text_of(sqlite3* db, const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
        fail_with(db, sql);
    }
    std::string found;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        const auto* text = sqlite3_column_text(statement, 0);
        if (text != nullptr) found = reinterpret_cast<const char*>(text);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK) fail_with(db, sql);
    return found;
}

class c_driver final : public driver {
  public:
    c_driver(profile how, const char* vfs, long long mmap_bytes)
        : how_(std::move(how)), vfs_(vfs), mmap_bytes_(mmap_bytes) {
        skiff::register_vfs();
    }
    std::unique_ptr<session> open_session() override {
        return std::make_unique<c_session>(how_, vfs_, mmap_bytes_);
    }
    std::map<std::string, std::string> settings() override {
        return c_connection(how_, vfs_, mmap_bytes_).settings();
    }

  private:
    profile how_;
    const char* vfs_;
    long long mmap_bytes_;
};

}  // namespace

std::vector<std::string> pragmas_of(const profile& how) {
    const bool full = how.level == synchronous::full;
    std::vector<std::string> pragmas{"journal_mode=wal",
                                     std::string("synchronous=") + (full ? "full" : "normal")};
    // In KiB, as a negative number: the file of the suite has 12 MB.
    if (how.pages == cache::whole_file) pragmas.emplace_back("cache_size=-65536");
    return pragmas;
}

c_connection::c_connection(const profile& how, const char* vfs, long long mmap_bytes) {
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(how.path.c_str(), &db_, flags, vfs) != SQLITE_OK) fail("open");
    sqlite3_busy_timeout(db_, busy_timeout_ms);
    for (const auto& each : pragmas_of(how)) run("pragma " + each);
    if (mmap_bytes > 0) run("pragma mmap_size=" + std::to_string(mmap_bytes));
}

c_connection::~c_connection() {
    sqlite3_close(db_);
}

void c_connection::fail(const std::string& doing) const {
    fail_with(db_, doing);
}

void c_connection::run(const std::string& sql) {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

std::string c_connection::one(const std::string& sql) {
    return text_of(db_, sql);
}

sqlite3_stmt* c_connection::prepare(const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &made, nullptr) != SQLITE_OK) fail(sql);
    return made;
}

std::map<std::string, std::string> settings_of(sqlite3* db) {
    std::map<std::string, std::string> found;
    for (const auto* name :
         {"journal_mode", "synchronous", "page_size", "cache_size", "mmap_size"}) {
        found[name] = text_of(db, std::string("pragma ") + name);
    }
    found["sqlite_version"] = text_of(db, "select sqlite_version()");
    char* vfs = nullptr;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, static_cast<void*>(&vfs));
    found["vfs"] = vfs != nullptr ? vfs : "";
    sqlite3_free(vfs);
    return found;
}

c_session::c_session(const profile& how, const char* vfs, long long mmap_bytes)
    : db_(how, vfs, mmap_bytes),
      select_(db_.prepare("select v from kv where id = ?")),
      insert_(db_.prepare("insert into kv(v) values (?)")) {}

c_session::~c_session() {
    sqlite3_finalize(select_);
    sqlite3_finalize(insert_);
}

bool c_session::read(std::int64_t key) {
    sqlite3_bind_int64(select_, 1, key);
    const int code = sqlite3_step(select_);
    bool right = false;
    if (code == SQLITE_ROW) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(select_, 0));
        right =
            is_value_of(key, {text, static_cast<std::size_t>(sqlite3_column_bytes(select_, 0))});
    }
    if (sqlite3_reset(select_) != SQLITE_OK) db_.fail("select");
    return right;
}

void c_session::insert(std::string_view value) {
    sqlite3_bind_text(insert_, 1, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    sqlite3_step(insert_);
    if (sqlite3_reset(insert_) != SQLITE_OK) db_.fail("insert");
}

std::unique_ptr<driver> open_c(const profile& how) {
    return std::make_unique<c_driver>(how, "unix", 0);
}

std::unique_ptr<driver> open_c_mmap(const profile& how) {
    return std::make_unique<c_driver>(how, "unix", mapped_bytes);
}

std::unique_ptr<driver> open_c_vfs(const profile& how) {
    return std::make_unique<c_driver>(how, skiff::vfs_name, 0);
}

std::unique_ptr<driver> open_c_vfs_mmap(const profile& how) {
    return std::make_unique<c_driver>(how, skiff::vfs_name, mapped_bytes);
}

}  // namespace skiff_bench
