// SQLite's allocator fails at its Nth call, for every N until a whole session runs clean: each time
// a typed error or success, no crash, no leak, and the file holds what was acknowledged.
//
// The allocator belongs to the whole process, so each run is a child process of its own.
#include "support/child_process.hpp"
#include "support/fault_vfs.hpp"
#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"

#include <skiff/skiff.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff_test::how_long;
using skiff_test::temp_dir;

/// SQLite's own allocator with a counter and a fault in front of it. One thread.
struct failing_allocator {
    sqlite3_mem_methods real{};
    int calls = 0;
    int fail_at = 0;  ///< 0: never
    how_long lasts = how_long::once;
    int live = 0;

    bool must_fail() {
        ++calls;
        if (fail_at == 0) return false;
        return lasts == how_long::once ? calls == fail_at : calls >= fail_at;
    }
};

failing_allocator memory;

void* allocate(int bytes) {
    if (memory.must_fail()) return nullptr;
    void* made = memory.real.xMalloc(bytes);
    if (made != nullptr) ++memory.live;
    return made;
}

void release(void* block) {
    --memory.live;
    memory.real.xFree(block);
}

void* resize(void* block, int bytes) {
    return memory.must_fail() ? nullptr : memory.real.xRealloc(block, bytes);
}

/// For a child: all of SQLite's memory comes through here, and none from buffers made before.
bool install() {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.real);
    sqlite3_mem_methods methods = memory.real;
    methods.xMalloc = allocate;
    methods.xFree = release;
    methods.xRealloc = resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK &&
           sqlite3_initialize() == SQLITE_OK;
}

/// What a session got told, so that the file can be compared with it.
struct acknowledged {
    std::vector<int> stored;
    std::vector<int> unknown;
};

/// Runs `work`; an error must be one of those that lack of memory explains.
template <class Work>
bool try_step(Work work, bool& unknown) {
    try {
        work();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    } catch (const skiff::error& failed) {
        unknown = failed.code() == skiff::errc::outcome_unknown;
        const bool expected = unknown || failed.code() == skiff::errc::no_memory ||
                              failed.extended_code() == SQLITE_IOERR_NOMEM ||
                              failed.code() == skiff::errc::misuse ||  // a guard tells its end
                              failed.code() == skiff::errc::closed;
        if (!expected) throw;
        return false;
    }
}

template <class Work>
void store(acknowledged& acks, int id, Work work) {
    bool unknown = false;
    if (try_step(work, unknown)) {
        acks.stored.push_back(id);
    } else if (unknown) {
        acks.unknown.push_back(id);
    }
}

void write_rows(skiff::connection& cx, acknowledged& acks) {
    const std::string text(3000, 'x');
    store(acks, 1, [&] { cx.exec("insert into t values (1, ?)", text); });
    store(acks, 2, [&] {
        auto tx = cx.begin();
        tx.exec("insert into t values (?, ?)", 2, std::string("two"));
        try {
            auto undone = tx.savepoint();
            tx.exec("insert into t values (-1, 'never')");
        } catch (const skiff::error&) {
        }
        tx.commit();
    });
    store(acks, 3, [&] {
        auto sp = cx.savepoint();
        cx.exec("insert into t values (3, zeroblob(5000))");
        sp.release();
    });
    store(acks, 4, [&] { cx.exec_script("select * from t; insert into t values (4, 'a');"); });
    store(acks, 5, [&] {
        const std::vector<int> ids = {5};
        cx.insert_many("insert into t values (?, 'many')", ids);
    });
}

void read_rows(skiff::connection& cx) {
    const std::string text(3000, 'x');
    cx.define_function("twice", [](const std::string& s) { return s + s; });
    const auto length = cx.maybe<std::string>("select twice(substr(x, 2)) from t where id = 1");
    if (length && *length != std::string(5998, 'x')) throw std::logic_error("cut text");
    const auto joined = cx.one<std::string>("select upper(?) || x'41' || lower(?)", text, text);
    if (joined != std::string(3000, 'X') + "A" + text) throw std::logic_error("cut text");
    const auto echoed = cx.one<std::string>("select ?", text);
    if (echoed != text) throw std::logic_error("cut text");
    for (const auto& row : cx.query("select ?, zeroblob(4000)", text)) {
        if (row.get<std::string_view>(0) != text) throw std::logic_error("cut text in a loop");
        if (row.get<skiff::blob_view>(1).size() != 4000) throw std::logic_error("cut blob");
        break;
    }
    const auto bytes = cx.one<skiff::blob>("select zeroblob(4000)");
    if (bytes.size() != 4000) throw std::logic_error("cut blob");
    const std::vector<int> ids = {1, 2, 3};
    for (const auto& row : cx.query("select id, x from t where id in skiff_array(?)", ids)) {
        static_cast<void>(row.get<int>("id"));
    }
    auto held = cx.prepare("select count(*), max(id) from t where id > :low");
    static_cast<void>(held.one<std::pair<int, std::optional<int>>>(skiff::named("low", 1)));
    auto image = cx.serialize();
    auto copy = skiff::connection::deserialize(std::move(image));
    static_cast<void>(copy.one<int>("select count(*) from t"));
    if (cx.maybe<int>("select 1 from t where id = 3")) {
        auto stream = cx.open_blob({"t", "x", 3});
        static_cast<void>(stream.size());
        stream.close();
    }
}

acknowledged session(const std::filesystem::path& path) {
    acknowledged acks;
    bool unknown = false;
    const auto all = [&] {
        auto cx = skiff::connection::open(path, {.vfs = skiff_test::fault_vfs_name()});
        static_cast<void>(cx.one<int>("select count(*) from skiff_array(?)", std::vector<int>{1}));
        cx.exec("create table if not exists t(id integer primary key, x)");
        write_rows(cx, acks);
        try_step([&] { read_rows(cx); }, unknown);
        if (cx.in_transaction()) throw std::logic_error("a transaction was left open");
        cx.close();
    };
    try_step(all, unknown);
    return acks;
}

/// "" or what is wrong with the file after a session.
std::string judge(const std::filesystem::path& path, const acknowledged& acks) {
    if (!std::filesystem::exists(path)) return acks.stored.empty() ? "" : "the file is gone";
    if (skiff_test::integrity_of(path) != "ok")
        return "integrity: " + skiff_test::integrity_of(path);
    skiff_test::raw_database db(path);
    if (db.number("select count(*) from sqlite_schema where name = 't'") == 0) {
        return acks.stored.empty() ? "" : "the table is gone";
    }
    if (db.number("select count(*) from t where id = -1") != 0) return "an undone row is there";
    for (int id = 1; id <= 5; ++id) {
        const bool there =
            db.number("select count(*) from t where id = " + std::to_string(id)) == 1;
        const bool stored = std::ranges::count(acks.stored, id) == 1;
        const bool unknown = std::ranges::count(acks.unknown, id) == 1;
        if (there != stored && !unknown) {
            return "row " + std::to_string(id) + (there ? " is there" : " is missing");
        }
    }
    return "";
}

/// Fails every `stride`th allocation in turn; says what went wrong, or how many runs there were.
std::string fail_each_allocation(how_long lasts, int stride) {
    if (!install()) return "the allocator could not be installed";
    const temp_dir dir;
    static_cast<void>(session(dir / "warm-up.db"));  // what SQLite and the library keep for ever
    const int live_before = memory.live;
    int runs = 0;
    for (int nth = 1;; nth += stride) {
        const auto path = dir / "a.db";
        for (const char* end : {"", "-wal", "-shm"}) {
            std::filesystem::remove(path.string() + end);
        }
        const std::string where = " at allocation " + std::to_string(nth);
        acknowledged acks;
        memory.lasts = lasts;
        memory.calls = 0;
        memory.fail_at = nth;
        try {
            acks = session(path);
        } catch (const std::exception& thrown) {
            return thrown.what() + where;
        }
        memory.fail_at = 0;
        const bool reached = memory.calls >= nth;
        if (memory.live != live_before) return "leak" + where;
        if (const auto problem = judge(path, acks); !problem.empty()) return problem + where;
        if (!reached) break;
        ++runs;
    }
    return runs > 1000 / stride ? "clean" : "only " + std::to_string(runs) + " runs";
}

TEST(Memory, failing_once_at_each_allocation_loses_nothing) {
    const auto result =
        skiff_test::run_in_child([] { return fail_each_allocation(how_long::once, 1); });

    EXPECT_EQ(result.answer, "clean");
    EXPECT_EQ(result.signal, 0);
}

TEST(Memory, failing_for_ever_from_each_allocation_on_loses_nothing) {
    const auto result =
        skiff_test::run_in_child([] { return fail_each_allocation(how_long::for_ever, 7); });

    EXPECT_EQ(result.answer, "clean");
    EXPECT_EQ(result.signal, 0);
}

}  // namespace
