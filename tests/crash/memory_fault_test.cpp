// T8: memory runs out at the first, the second, the N-th time that something is asked for, SQLite's
// or the VFS's own, once and from then on: no crash, no leak, what was acknowledged is there
// (oracles O1 and O2).
#include "support/child_process.hpp"
#include "support/counting_new.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/io_interceptor.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

namespace {

using namespace skiff_test;

struct told {
    std::int64_t acknowledged = 0;
    int untyped = 0;  ///< a code that lack of memory does not explain
};

void note(told& heard, int code) {
    constexpr std::array typed = {SQLITE_OK,          SQLITE_NOMEM, SQLITE_IOERR_NOMEM,
                                  SQLITE_CANTOPEN,    SQLITE_ERROR, SQLITE_IOERR_SHMLOCK,
                                  SQLITE_IOERR_SHMMAP};
    if (std::ranges::find(typed, code) == typed.end()) heard.untyped = code;
}

constexpr const char* insert_sql =
    "insert into t select coalesce(max(n),0)+1, randomblob(3000) from t returning n";

void insert(sqlite3* db, told& heard) {
    std::int64_t row = 0;
    const auto keep = [](void* where, int, char** text, char**) {
        *static_cast<std::int64_t*>(where) = text[0] != nullptr ? std::atoll(text[0]) : 0;
        return 0;
    };
    const int code = sqlite3_exec(db, insert_sql, keep, &row, nullptr);
    if (code == SQLITE_OK) heard.acknowledged = std::max(heard.acknowledged, row);
    note(heard, code == SQLITE_OK ? code : sqlite3_extended_errcode(db));
}

/// Asks for no memory of its own.
void session(const char* path, told& heard) {
    sqlite3* db = nullptr;
    const int code = sqlite3_open_v2(path, &db, open_flags, skiff::vfs::vfs_name);
    note(heard, code);
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(db, 1);
        for (const auto* sql :
             {"pragma journal_mode=wal", "pragma synchronous=full", "pragma mmap_size=1000000",
              "create table if not exists t(n integer primary key, pad)"}) {
            note(heard, sqlite3_exec(db, sql, nullptr, nullptr, nullptr));
        }
        insert(db, heard);
        insert(db, heard);
        note(heard, sqlite3_exec(db, "pragma wal_checkpoint(restart)", nullptr, nullptr, nullptr));
        insert(db, heard);
        note(heard, sqlite3_exec(db, "select sum(length(pad)) from t", nullptr, nullptr, nullptr));
    }
    sqlite3_close(db);
}

/// What is wrong with what a session left.
std::string verdict(const std::filesystem::path& path, const told& heard) {
    if (heard.untyped != 0) return "code " + std::to_string(heard.untyped);
    if (!std::filesystem::exists(path)) return heard.acknowledged > 0 ? "gone" : "";
    const auto stock = open_stock(path);
    if (const auto found = stock->text("pragma integrity_check"); found != "ok") return found;
    if (stock->number("select count(*) from sqlite_schema") == 0) {
        return heard.acknowledged > 0 ? "emptied" : "";
    }
    const auto rows = stock->number("select count(*) from t");
    if (rows != stock->number("select coalesce(max(n),0) from t")) return "not 1 to n";
    return rows < heard.acknowledged ? "lost rows" : "";
}

void remove_files(const std::filesystem::path& folder) {
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
        std::filesystem::remove(each.path());
    }
}

/// SQLite's allocator with a fault in front of it and a count of what is not given back.
struct scarce_memory {
    sqlite3_mem_methods real{};
    int calls = 0;
    int fail_at = 0;
    bool forever = false;
    int live = 0;

    bool is_refused() {
        ++calls;
        return fail_at != 0 && (calls == fail_at || (forever && calls > fail_at));
    }
};
scarce_memory memory;

void* allocate(int bytes) {
    void* made = memory.is_refused() ? nullptr : memory.real.xMalloc(bytes);
    if (made != nullptr) ++memory.live;
    return made;
}
void release(void* block) {
    --memory.live;
    memory.real.xFree(block);
}
void* resize(void* block, int bytes) {
    return memory.is_refused() ? nullptr : memory.real.xRealloc(block, bytes);
}

/// For a child: SQLite's memory comes from here.
void make_memory_scarce() {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.real);
    sqlite3_mem_methods methods = memory.real;
    methods.xMalloc = allocate;
    methods.xFree = release;
    methods.xRealloc = resize;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_initialize();
}

/// Each N until a session ends before it; "ok", or what was wrong.
std::string fail_each_of_sqlite(const std::filesystem::path& folder, bool forever, int stride) {
    make_memory_scarce();
    const auto path = folder / "a.db";
    skiff::vfs::register_vfs();
    for (int nth = 0;; nth += nth == 0 ? 1 : stride) {
        told heard;
        const int live = memory.live;
        memory.forever = forever;
        memory.calls = 0;
        memory.fail_at = nth;
        session(path.c_str(), heard);
        const bool fired = memory.calls >= nth;
        memory.fail_at = 0;
        const std::string where = ", call " + std::to_string(nth);
        if (nth > 0 && memory.live != live) return "leaked" + where;
        if (const auto wrong = verdict(path, heard); !wrong.empty()) return wrong + where;
        if (!fired) return "ok";
        remove_files(folder);
    }
}

class MemoryFault : public testing::TestWithParam<bool> {
  protected:
    MemoryFault() { skiff::vfs::io_interceptor::install(nullptr); }  // it would need memory, too

    temp_dir folder = temp_dir::in_memory();
    const std::filesystem::path path = folder / "a.db";
    const int stride = count_from("SKIFF_FAULT_STRIDE", 1);
};

TEST_P(MemoryFault, t8_memory_that_sqlite_cannot_have_is_an_error_and_loses_nothing) {
    const auto ended =
        run_in_child([&] { return fail_each_of_sqlite(folder.path(), GetParam(), stride); });

    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.answer, "ok");
}

// The thread sanitizer has an operator new of its own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKIFF_HAS_ITS_OWN_NEW
#endif
#endif
#ifndef SKIFF_HAS_ITS_OWN_NEW
TEST_P(MemoryFault, t8_memory_that_the_vfs_cannot_have_is_an_error_and_loses_nothing) {
    skiff::vfs::register_vfs();
    told warm_up;  // what is made once in a process is made now
    session(path.c_str(), warm_up);
    ASSERT_EQ(warm_up.acknowledged, 3);
    const int descriptors = open_descriptors();

    for (std::uint64_t nth = 1;; ++nth) {
        SCOPED_TRACE("call " + std::to_string(nth));
        remove_files(folder.path());
        told heard;
        const std::string name = path.string();
        const allocation_count asked;
        fail_allocations(nth, GetParam());
        session(name.c_str(), heard);
        fail_allocations(0, false);
        const bool fired = asked.so_far() >= nth;
        EXPECT_EQ(open_descriptors(), descriptors) << "descriptors leaked";
        ASSERT_EQ(verdict(path, heard), "");
        if (!fired) break;
    }
}

#endif

INSTANTIATE_TEST_SUITE_P(HowLong, MemoryFault, testing::Bool(), [](const auto& given) {
    return std::string(given.param ? "for_ever" : "once");
});

}  // namespace
