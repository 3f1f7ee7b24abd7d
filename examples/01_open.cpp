// A first program: makes a database, stores tasks, reads them back. docs/start.md goes through it.
// [whole]
#include <skiff/skiff.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

// [struct]
struct task {
    std::int64_t id;
    std::string title;
    std::optional<std::string> due;  // may be NULL
};
// [/struct]

int main() try {
    // [open]
    auto db = skiff::database::open("tasks.db");
    db.exec(
        "create table if not exists task(id integer primary key, title text not null,"
        " due text, done integer not null default 0) strict");
    // [/open]

    // [write]
    db.exec("insert into task(title, due) values (?, ?)", "buy rope", "2026-12-01");
    db.exec("insert into task(title) values (?)", "paint the hull");
    // [/write]

    // [read]
    for (const auto& each : db.all<task>("select id, title, due from task where done = 0")) {
        std::cout << each.id << ": " << each.title << ", " << each.due.value_or("any day") << '\n';
    }
    // [/read]

    // [transaction]
    db.write([](skiff::transaction& tx) {
        const auto id =
            tx.one<std::int64_t>("select id from task where title = ? and done = 0", "buy rope");
        tx.exec("update task set done = 1 where id = ?", id);
        tx.exec("insert into task(title) values (?)", "splice the rope");
    });
    // [/transaction]

    const auto left = db.one<int>("select count(*) from task where done = 0");
    std::cout << left << " tasks left\n";
    // [close]
    db.close();
    return left > 0 && left % 2 == 0 ? 0 : 1;  // each run leaves two more
} catch (const skiff::error& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
}
// [/close]
// [/whole]
