// What goes wrong, and how a program hears of it; docs/guides/errors.md shows the parts.
#include "expect.hpp"

#include <skiff/skiff.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

namespace {

// [catch]
bool sign_up(skiff::database& db, std::string_view name) {
    try {
        db.exec("insert into user(name) values (?)", name);
        return true;
    } catch (const skiff::constraint& violated) {
        // "SQLITE_CONSTRAINT_UNIQUE": somebody has the name already
        std::cout << skiff::name_of_extended(violated.extended_code()) << '\n';
        return false;
    }
}
// [/catch]

void absence(skiff::database& db) {
    // [absence]
    const auto id = db.maybe<std::int64_t>("select id from user where name = ?", "zoe");
    if (!id) std::cout << "there is no zoe\n";
    // [/absence]
    expect(!id);

    int thrown = 0;
    // [one]
    try {
        static_cast<void>(db.one<std::int64_t>("select id from user where name = ?", "zoe"));
    } catch (const skiff::no_row&) {
        ++thrown;  // one() promises a row
    }
    try {
        static_cast<void>(db.one<std::int64_t>("select id from user"));
    } catch (const skiff::error& failure) {
        // [/one]
        expect(failure.code() == skiff::errc::many_rows);
        ++thrown;
    }
    expect(thrown == 2);
}

// [offset]
/// The SQL with a mark below the place that SQLite complains about.
std::string marked(const skiff::error& failure) {
    std::string text(failure.sql());
    if (failure.sql_offset() >= 0) {
        text += '\n' + std::string(static_cast<std::size_t>(failure.sql_offset()), ' ') + '^';
    }
    return text;
}
// [/offset]

void offsets(skiff::database& db) {
    std::string text;
    // [offset-use]
    try {
        static_cast<void>(db.all<std::string>("select nam from user"));
    } catch (const skiff::error& failure) {
        std::cout << failure.message() << '\n' << marked(failure) << '\n';
        // [/offset-use]
        text = marked(failure);
    }
    expect(text == "select nam from user\n       ^");
}

// [attempt]
int users_or_minus_one(skiff::database& db) noexcept {
    const auto count = skiff::attempt([&] { return db.one<int>("select count(*) from user"); });
    return count ? *count : -1;
}
// [/attempt]

void results(skiff::database& db) {
    expect(users_or_minus_one(db) == 1);

    // [result]
    const auto failed =
        skiff::attempt([&] { db.exec("insert into user(name) values (?)", "ann"); });
    if (!failed) std::cout << failed.error().what() << '\n';
    // [/result]
    expect(!failed && failed.error().code() == skiff::errc::constraint);

    bool typed = false;
    try {
        failed.value();  // throws what attempt() caught, as the class it was
    } catch (const skiff::constraint&) {
        typed = true;
    }
    expect(typed);
}

// [by-kind]
std::string_view what_to_do(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const skiff::busy_snapshot&) {
        return "end the transaction and start it again";
    } catch (const skiff::busy&) {
        return "try again later: nothing was done";
    } catch (const skiff::timeout&) {
        return "the deadline passed before the work began: nothing was done";
    } catch (const skiff::interrupted&) {
        return "stopped while it ran: rolled back";
    } catch (const skiff::outcome_unknown&) {
        return "look into the database before repeating the work";
    } catch (const skiff::corrupt&) {
        return "stop writing, restore from a backup";
    } catch (const skiff::error& other) {
        return other.code() == skiff::errc::batch_aborted ? "run it again: nothing was committed"
                                                          : "a mistake in the program or its input";
    }
}
// [/by-kind]

void kinds(skiff::database& db) {
    std::string_view advice;
    try {
        db.exec("this is not SQL");
    } catch (...) {
        advice = what_to_do(std::current_exception());
    }
    expect(advice == "a mistake in the program or its input");
}

void own_exceptions(skiff::database& db) {
    // [own-exception]
    struct out_of_stock {
        int wanted;
    };
    try {
        db.write([](skiff::transaction& tx) {
            tx.exec("insert into user(name) values (?)", "kim");
            throw out_of_stock{7};
        });
    } catch (const out_of_stock& reason) {
        std::cout << "no " << reason.wanted << " left; kim was not stored\n";
        // [/own-exception]
        expect(reason.wanted == 7);
    }
    expect(db.one<int>("select count(*) from user") == 1);
}

}  // namespace

int main() {
    auto db = skiff::database::open("users.db");
    db.exec("create table user(id integer primary key, name text not null unique) strict");
    expect(sign_up(db, "ann"));
    expect(!sign_up(db, "ann"));
    db.exec("insert into user(name) values ('bob')");
    absence(db);
    db.exec("delete from user where name = 'bob'");
    offsets(db);
    results(db);
    kinds(db);
    own_exceptions(db);
}
