// The example of README.md.
#include <skiff/skiff.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

int main() {
    // [readme]
    struct user {
        std::int64_t id;
        std::string name;
        std::optional<std::string> mail;  // NULL is an empty optional
    };

    auto db = skiff::database::open("app.db");  // any number of threads may use it
    db.exec("create table if not exists user(id integer primary key, name text, mail text) strict");

    const auto added = db.write([](skiff::transaction& tx) {  // both rows or none
        tx.exec("insert into user(name, mail) values (?, ?)", "ann", "ann@example.org");
        return tx.one<std::int64_t>("insert into user(name) values (?) returning id", "bob");
    });

    const auto bob = db.one<user>("select id, name, mail from user where id = ?", added.value);
    std::cout << bob.name << ": " << bob.mail.value_or("no mail") << '\n';
    // [/readme]
    return bob.name == "bob" && !bob.mail ? 0 : 1;
}
