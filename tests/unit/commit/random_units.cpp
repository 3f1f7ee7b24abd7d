// A small grammar of SQL over a small range of keys, so that conflicts are frequent.
#include "unit/commit/random_units.hpp"

#include <skiff/error.hpp>

#include <optional>

namespace skiff_test {

namespace {

using does = unit_step::what;

std::string key(random_numbers& random, int limit) {
    return random.once_in(6) ? "null" : std::to_string(random.below(limit));
}

template <std::size_t Count>
std::string one_of(random_numbers& random, const char* const (&choices)[Count]) {
    return choices[random.below(static_cast<int>(Count))];
}

std::string text_value(random_numbers& random) {
    constexpr const char* choices[] = {"'a'", "'b'", "'c'",    "'d'",    "'e'",
                                       "'f'", "'g'", "'skip'", "'stop'", "'much too long a text'",
                                       "null"};
    return one_of(random, choices);
}

std::string clause(random_numbers& random) {
    constexpr const char* choices[] = {"",         "",           "",           "or abort ",
                                       "or fail ", "or ignore ", "or replace "};
    return one_of(random, choices);
}

std::string item_row(random_numbers& random) {
    return "(" + key(random, 40) + ", " + key(random, 30) + ", " + text_value(random) + ", " +
           key(random, 12) + ")";
}

std::string pairs(random_numbers& random) {
    std::string rows;
    const int count = 1 + random.below(4);
    for (int i = 0; i < count; ++i) {
        rows += (i > 0 ? ", (" : "(") + key(random, 25) + ", " + text_value(random) + ")";
    }
    return rows;
}

std::string insert_item(random_numbers& random) {
    std::string sql = "insert " + clause(random) + "into item values " + item_row(random);
    if (random.once_in(3)) sql += ", " + item_row(random) + ", " + item_row(random);
    if (random.once_in(5)) sql += " on conflict(k) do update set v = excluded.v";
    if (random.once_in(8)) sql += " returning id";
    return sql;
}

std::string update_item(random_numbers& random) {
    const auto low = std::to_string(random.below(40));
    constexpr const char* changes[] = {"k = k + 1",  "k = k - 1",    "v = 'skip'",
                                       "v = null",   "v = v || 'x'", "parent = parent + 1",
                                       "id = id + 1"};
    return "update " + clause(random) + "item set " + one_of(random, changes) +
           " where id between " + low + " and " + low + " + " + std::to_string(random.below(9));
}

std::string change_other(random_numbers& random) {
    constexpr const char* tables[] = {"fails", "ignores", "replaces"};
    return "insert " + clause(random) + "into " + one_of(random, tables) + " values " +
           pairs(random);
}

std::string change_parent(random_numbers& random) {
    const auto id = std::to_string(random.below(12));
    switch (random.below(4)) {
        case 0:
            return "delete from parent where id = " + id;
        case 1:
            return "update parent set id = id + 20 where id = " + id;
        default:
            return "insert " + clause(random) + "into parent(id) values (" + id + ")";
    }
}

std::string change_late(random_numbers& random) {
    if (random.once_in(3)) return "delete from late where id > " + std::to_string(random.below(9));
    return "insert into late(parent) values (" + key(random, 14) + ")";
}

std::string change_schema(random_numbers& random) {
    constexpr const char* choices[] = {
        "create table if not exists extra(x)", "create table extra(x)",
        "drop table if exists extra",          "insert into extra values (1)",
        "create index by_v on item(v)",        "drop index if exists by_v"};
    return one_of(random, choices);
}

std::string make_sql(random_numbers& random) {
    const int choice = random.below(100);
    if (choice < 34) return insert_item(random);
    if (choice < 50) return update_item(random);
    if (choice < 58) return "delete from item where id % 5 = " + std::to_string(random.below(5));
    if (choice < 72) return change_other(random);
    if (choice < 82) return change_parent(random);
    if (choice < 90) return change_late(random);
    if (choice < 93) return "pragma defer_foreign_keys=1";
    if (choice < 97) return change_schema(random);
    return "select count(*), sum(id) from item";
}

/// The extended code of a refused or failed statement, 0 when it ran.
int code_of_exec(skiff::transaction& tx, const std::string& sql, skiff::exec_result& done) {
    try {
        done = tx.exec(sql);
        return 0;
    } catch (const skiff::error& thrown) {
        return thrown.extended_code();
    }
}

step_report exec_plain(raw_database& db, const std::string& sql) {
    sqlite3* handle = db.handle();
    const auto before = sqlite3_total_changes64(handle);
    sqlite3_set_last_insert_rowid(handle, 0);
    step_report report;
    report.code = db.try_exec(sql);
    if (report.code == 0 && sqlite3_total_changes64(handle) != before) {
        report.changes = sqlite3_changes64(handle);
        report.rowid = sqlite3_last_insert_rowid(handle);
    }
    return report;
}

}  // namespace

void random_unit::run(skiff::transaction& tx, std::vector<step_report>& reports) const {
    reports.clear();
    std::vector<skiff::savepoint> open;
    for (const auto& step : steps) {
        switch (step.does) {
            case does::open_savepoint:
                open.push_back(tx.savepoint());
                break;
            case does::undo_savepoint:
                open.pop_back();
                break;
            case does::keep_savepoint:
                open.back().release();
                open.pop_back();
                break;
            case does::give_up:
                while (!open.empty()) open.pop_back();
                throw unit_gives_up();
            case does::statement:
                skiff::exec_result done;
                step_report report;
                report.code = code_of_exec(tx, step.sql, done);
                report.changes = done.changes;
                report.rowid = done.last_insert_rowid;
                reports.push_back(report);
                if (report.code == 0 || step.swallows_error) break;
                while (!open.empty()) open.pop_back();
                skiff::error_details details;
                details.extended_code = report.code;
                details.message = step.sql;
                throw skiff::error(details);
        }
    }
    while (!open.empty()) open.pop_back();
}

unit_report random_unit::run_alone(raw_database& db) const {
    unit_report report;
    int depth = 0;
    db.exec("begin immediate");
    for (const auto& step : steps) {
        const auto name = std::to_string(step.does == does::open_savepoint ? ++depth : depth);
        if (step.does == does::open_savepoint) db.exec("savepoint s" + name);
        if (step.does == does::undo_savepoint) db.exec("rollback to s" + name);
        if (step.does == does::undo_savepoint || step.does == does::keep_savepoint) {
            db.exec("release s" + name);
            --depth;
        }
        if (step.does == does::give_up) report.code = unit_report::gave_up;
        if (step.does == does::statement) {
            report.steps.push_back(exec_plain(db, step.sql));
            const int code = report.steps.back().code;
            if (code != 0 && !step.swallows_error) report.code = code;
        }
        if (report.code != 0) break;
    }
    // What is left open at the end is undone, as a savepoint object does it.
    if (report.code == 0) {
        for (; depth > 0; --depth) {
            db.exec("rollback to s" + std::to_string(depth));
            db.exec("release s" + std::to_string(depth));
        }
        report.code = db.try_exec("commit");
    }
    if (report.code != 0) db.exec("rollback");
    return report;
}

std::string random_unit::text() const {
    constexpr const char* names[] = {"", "savepoint", "rollback to, release", "release", "throw"};
    std::string all;
    for (const auto& step : steps) {
        all += names[static_cast<int>(step.does)] + step.sql +
               (step.swallows_error ? "; -- swallows errors\n" : ";\n");
    }
    return all;
}

std::vector<std::string> random_schema() {
    return {
        "create table parent(id integer primary key, n)",
        "create table item(id integer primary key, k unique, v text not null "
        "check (length(v) < 12), parent references parent on delete cascade)",
        "create table late(id integer primary key, parent references parent "
        "deferrable initially deferred)",
        "create table fails(k unique on conflict fail, v not null on conflict ignore)",
        "create table ignores(k unique on conflict ignore, v not null)",
        "create table replaces(k unique on conflict replace, v default 'd' "
        "not null on conflict replace)",
        "create table log(at integer primary key autoincrement, what)",
        "create trigger added after insert on item begin "
        "insert into log(what) values ('+' || new.id); end",
        "create trigger removed after delete on item begin "
        "insert into log(what) values ('-' || old.id); end",
        "create trigger kept before delete on item when old.id % 7 = 0 begin "
        "select raise(abort, 'kept'); end",
        "create trigger skipped before update on item when new.v = 'skip' begin "
        "select raise(ignore); end",
        "create trigger stopped before insert on item when new.v = 'stop' begin "
        "select raise(fail, 'stop'); end",
    };
}

random_unit make_random_unit(random_numbers& random) {
    random_unit made;
    int depth = 0;
    const int count = 1 + random.below(4);
    for (int i = 0; i < count; ++i) {
        if (random.once_in(7)) {
            made.steps.push_back({.does = does::open_savepoint});
            ++depth;
        }
        made.steps.push_back({.sql = make_sql(random), .swallows_error = random.once_in(3)});
        if (depth > 0 && random.once_in(2)) {
            made.steps.push_back(
                {.does = random.once_in(2) ? does::undo_savepoint : does::keep_savepoint});
            --depth;
        }
    }
    if (random.once_in(10)) made.steps.push_back({.does = does::give_up});
    return made;
}

std::string content_of(raw_database& db) {
    std::string all;
    for (const char* sql :
         {"select type || name || coalesce(sql, '') from sqlite_schema order by name",
          "select name || seq from sqlite_sequence",
          "select id || quote(n) from parent order by id",
          "select id || ' ' || quote(k) || quote(v) || quote(parent) from item order by id",
          "select id || ' ' || quote(parent) from late order by id",
          "select rowid || ' ' || quote(k) || quote(v) from fails order by rowid",
          "select rowid || ' ' || quote(k) || quote(v) from ignores order by rowid",
          "select rowid || ' ' || quote(k) || quote(v) from replaces order by rowid",
          "select at || what from log order by at"}) {
        for (const auto& line : db.column(sql)) all += line + "\n";
    }
    return all;
}

}  // namespace skiff_test
