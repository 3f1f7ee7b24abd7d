// ratio: skiff_scan / c_scan <= 1.04
//
// Against the engine that is optimised by a profile: with less for SQLite to do, what Skiff adds is
// a larger part. It is 0.98 against the plain one.
//
// What a row and a point read cost in Skiff and in the C that one would write by hand, on the same
// connection and the same table. Run by tools/callgrind.py with the name of a case; row_cost.py
// prints instructions a row and a read. A case may be followed by "@" and a number of repetitions.
#include <skiff/connection.hpp>

#include <sqlite3.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

constexpr std::int64_t row_count = 10'000;
constexpr std::string_view scan_sql = "select id, n from t";
constexpr std::string_view point_sql = "select n from t where id = ?";

struct database {
    skiff::connection db;
    skiff::statement held;
    sqlite3_stmt* c_scan = nullptr;
    sqlite3_stmt* c_point = nullptr;
};

sqlite3_stmt* prepare(sqlite3* db, std::string_view sql) {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    if (code != SQLITE_OK) std::exit(1);
    return made;
}

database make_database() {
    auto db = skiff::connection::open(":memory:");
    db.exec("create table t(id integer primary key, n integer)");
    std::vector<std::tuple<std::int64_t, std::int64_t>> rows;
    for (std::int64_t id = 1; id <= row_count; ++id) rows.emplace_back(id, id * 1'000'003);
    db.insert_many("insert into t values (?, ?)", rows);
    auto held = db.prepare(point_sql);
    auto* handle = db.native_handle();
    return {std::move(db), std::move(held), prepare(handle, scan_sql), prepare(handle, point_sql)};
}

/// The id that read number `at` asks for: all over the table, and each the same in every case.
std::int64_t id_of(std::int64_t at) {
    return at * 7919 % row_count + 1;
}

std::int64_t c_scan(database& in, std::int64_t repetitions) {
    std::int64_t sum = 0;
    for (; repetitions > 0; --repetitions) {
        while (sqlite3_step(in.c_scan) == SQLITE_ROW) {
            sum += sqlite3_column_int64(in.c_scan, 0) + sqlite3_column_int64(in.c_scan, 1);
        }
        sqlite3_reset(in.c_scan);
    }
    return sum;
}

std::int64_t skiff_scan(database& in, std::int64_t repetitions) {
    std::int64_t sum = 0;
    for (; repetitions > 0; --repetitions) {
        for (const auto [id, n] : in.db.rows<std::int64_t, std::int64_t>(scan_sql)) sum += id + n;
    }
    return sum;
}

std::int64_t c_point(database& in, std::int64_t repetitions) {
    std::int64_t sum = 0;
    for (; repetitions > 0; --repetitions) {
        sqlite3_bind_int64(in.c_point, 1, id_of(repetitions));
        if (sqlite3_step(in.c_point) == SQLITE_ROW) sum += sqlite3_column_int64(in.c_point, 0);
        sqlite3_reset(in.c_point);
    }
    return sum;
}

std::int64_t skiff_point(database& in, std::int64_t repetitions) {
    std::int64_t sum = 0;
    for (; repetitions > 0; --repetitions) {
        sum += in.db.one<std::int64_t>(point_sql, id_of(repetitions));
    }
    return sum;
}

std::int64_t skiff_held_point(database& in, std::int64_t repetitions) {
    std::int64_t sum = 0;
    for (; repetitions > 0; --repetitions) sum += in.held.one<std::int64_t>(id_of(repetitions));
    return sum;
}

struct measured_case {
    std::string_view name;
    std::int64_t (*run)(database&, std::int64_t);
    std::int64_t (*by_hand)(database&, std::int64_t);
    std::int64_t repetitions;
};

constexpr measured_case cases[] = {{"c_scan", c_scan, c_scan, 10},
                                   {"skiff_scan", skiff_scan, c_scan, 10},
                                   {"c_point", c_point, c_point, 10'000},
                                   {"skiff_point", skiff_point, c_point, 10'000},
                                   {"skiff_held_point", skiff_held_point, c_point, 10'000}};

// What skiff_measured works on: the counter starts and stops at a function without arguments.
database* measured_database = nullptr;
const measured_case* measured = nullptr;
std::int64_t measured_repetitions = 0;
std::int64_t measured_sum = 0;

}  // namespace

extern "C" [[gnu::noinline]] void skiff_measured() {
    measured_sum = measured->run(*measured_database, measured_repetitions);
}

int main(int count, char** arguments) {
    const std::string_view argument(count > 1 ? arguments[1] : "");
    const auto name = argument.substr(0, argument.find('@'));
    for (const auto& each : cases) {
        if (each.name == name) measured = &each;
    }
    if (measured == nullptr) {
        std::fputs("usage: row_cost CASE[@REPETITIONS]; the cases stand in row_cost.cpp\n", stderr);
        return 2;
    }
    measured_repetitions = measured->repetitions;
    if (name.size() < argument.size()) {
        const auto digits = argument.substr(name.size() + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), measured_repetitions);
    }
    auto made = make_database();
    measured_database = &made;

    // The first run warms up; the right answer is known before anything is counted.
    const auto expected = measured->by_hand(made, measured_repetitions);
    static_cast<void>(measured->run(made, 1));
    skiff_measured();

    sqlite3_finalize(made.c_scan);
    sqlite3_finalize(made.c_point);
    if (measured_sum == expected && expected > 0) return 0;
    std::fprintf(stderr, "%s: wrong answer\n", arguments[1]);
    return 1;
}
