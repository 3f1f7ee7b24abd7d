// Work that happens whole or not at all; docs/guides/transactions.md shows the parts.
#include "expect.hpp"

#include <skiff/skiff.hpp>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

// [struct]
struct item {
    std::string sku;
    int count;
};
// [/struct]

void make_schema(skiff::database& db) {
    // [script]
    db.write([](skiff::transaction& tx) {
        tx.exec_script(R"(
            create table account(
                id integer primary key, name text not null unique,
                balance integer not null check (balance >= 0)) strict;
            create table stock(sku text primary key, count integer not null) strict;
            insert into account(name, balance) values ('ann', 100), ('bob', 0);
        )");
    });
    // [/script]
}

std::int64_t balance(skiff::database& db, std::string_view name) {
    return db.one<std::int64_t>("select balance from account where name = ?", name);
}

// [write]
void pay(skiff::database& db, std::string_view from, std::string_view to, int amount) {
    db.write([&](skiff::transaction& tx) {
        tx.exec("update account set balance = balance - ? where name = ?", amount, from);
        const auto done =
            tx.exec("update account set balance = balance + ? where name = ?", amount, to);
        if (done.changes != 1) throw std::runtime_error("there is no account " + std::string(to));
    });
}
// [/write]

void closures(skiff::database& db) {
    pay(db, "ann", "bob", 30);
    expect(balance(db, "ann") == 70 && balance(db, "bob") == 30);

    int failed = 0;
    // [failure]
    try {
        pay(db, "ann", "nobody", 10);
    } catch (const std::runtime_error& reason) {
        std::cout << reason.what() << "; nothing was paid\n";
        ++failed;
    }
    // [/failure]
    try {
        pay(db, "ann", "bob", 1000);  // the check constraint says no
    } catch (const skiff::constraint&) {
        ++failed;
    }
    expect(failed == 2 && balance(db, "ann") == 70 && balance(db, "bob") == 30);
}

void results(skiff::database& db) {
    // [result]
    const auto made = db.write([](skiff::transaction& tx) {
        return tx.one<std::int64_t>("insert into account(name, balance) values (?, 0) returning id",
                                    "eve");
    });
    std::cout << "account " << made.value << ", commit " << made.commit.sequence() << '\n';
    // [/result]
    expect(made.value == 3 && made.commit == db.last_commit());

    // [exec]
    const auto done = db.exec("update account set balance = balance + 1 where balance > 0");
    std::cout << done.changes << " accounts changed\n";
    // [/exec]
    expect(done.changes == 2);
}

void savepoints(skiff::database& db) {
    const std::vector<item> delivery{{"rope", 3}, {"paint", 2}};
    // [insert-many]
    db.write([&](skiff::transaction& tx) {
        tx.insert_many("insert into stock(sku, count) values (?, ?)", delivery);
    });
    // [/insert-many]
    expect(db.one<int>("select sum(count) from stock") == 5);

    // [savepoint]
    db.write([&](skiff::transaction& tx) {
        tx.exec("update stock set count = count - 1 where sku = ?", "rope");
        auto part = tx.savepoint();
        tx.exec("update stock set count = count - 5 where sku = ?", "paint");
        if (tx.one<int>("select min(count) from stock") >= 0) {
            part.release();  // keep both
        }  // else: undone at the end of the scope, the rope stays taken
    });
    // [/savepoint]
    expect(db.one<int>("select count from stock where sku = 'rope'") == 2);
    expect(db.one<int>("select count from stock where sku = 'paint'") == 2);
}

void outside_a_transaction(skiff::database& db) {
    // [without]
    db.write_without_transaction([](skiff::connection& writer) {
        writer.exec("pragma optimize");
        writer.exec("vacuum");
    });
    // [/without]

    bool was_refused = false;
    // [refused]
    try {
        db.exec("vacuum");
    } catch (const skiff::error& failure) {
        std::cout << failure.what() << '\n';
        // [/refused]
        was_refused = true;
    }
    expect(was_refused);
}

void own_connection(const std::filesystem::path& path) {
    // [connection]
    auto cx = skiff::connection::open(path);
    auto tx = cx.begin();  // begin immediate: waits for the write lock here
    tx.exec("update account set balance = 0 where name = ?", "ann");
    tx.commit();  // without it the end of the scope rolls back
    // [/connection]
    expect(!tx.is_open() && !cx.in_transaction());

    {
        auto never = cx.begin();
        never.exec("delete from account");
    }
    expect(cx.one<int>("select count(*) from account") == 3);

    // [connection-many]
    const std::vector<std::tuple<std::string, int>> more{{"oar", 2}, {"sail", 1}};
    cx.insert_many("insert into stock(sku, count) values (?, ?)", more);  // all or nothing
    // [/connection-many]
    expect(cx.one<int>("select count(*) from stock") == 4);
}

}  // namespace

int main() {
    auto db = skiff::database::open("shop.db");
    make_schema(db);
    closures(db);
    results(db);
    savepoints(db);
    outside_a_transaction(db);
    const auto path = db.path();
    db.close();
    own_connection(path);
}
