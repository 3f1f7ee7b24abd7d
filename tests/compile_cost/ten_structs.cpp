// What using Skiff costs to compile: one translation unit that maps ten structs of 18 fields and
// runs 30 queries with them. Compiled by compile_cost.py, never run.
#include <skiff/skiff.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shop {

using moment = std::chrono::sys_time<std::chrono::milliseconds>;

struct user {
    std::int64_t id;
    std::string name;
    std::optional<std::string> mail;
    double score;
    bool active;
    std::int32_t kind;
    skiff::blob content;
    moment made;
    std::optional<std::int64_t> parent;
    std::int64_t version;
    std::string title;
    std::optional<std::string> note;
    double weight;
    bool hidden;
    std::int32_t rank;
    skiff::blob digest;
    moment changed;
    std::optional<std::int64_t> owner;
};

struct account {
    std::int64_t id;
    std::optional<std::string> name;
    double mail;
    bool score;
    std::int32_t active;
    skiff::blob kind;
    moment content;
    std::optional<std::int64_t> made;
    std::int64_t parent;
    std::optional<std::string> version;
    double title;
    bool note;
    std::int32_t weight;
    skiff::blob hidden;
    moment rank;
    std::optional<std::int64_t> digest;
    std::int64_t changed;
    std::string owner;
};

struct address {
    std::int64_t id;
    double name;
    bool mail;
    std::int32_t score;
    skiff::blob active;
    moment kind;
    std::optional<std::int64_t> content;
    std::int64_t made;
    std::string parent;
    bool version;
    std::int32_t title;
    skiff::blob note;
    moment weight;
    std::optional<std::int64_t> hidden;
    std::int64_t rank;
    std::string digest;
    std::optional<std::string> changed;
    double owner;
};

struct article {
    std::int64_t id;
    bool name;
    std::int32_t mail;
    skiff::blob score;
    moment active;
    std::optional<std::int64_t> kind;
    std::int64_t content;
    std::string made;
    std::optional<std::string> parent;
    skiff::blob version;
    moment title;
    std::optional<std::int64_t> note;
    std::int64_t weight;
    std::string hidden;
    std::optional<std::string> rank;
    double digest;
    bool changed;
    std::int32_t owner;
};

struct invoice {
    std::int64_t id;
    std::int32_t name;
    skiff::blob mail;
    moment score;
    std::optional<std::int64_t> active;
    std::int64_t kind;
    std::string content;
    std::optional<std::string> made;
    double parent;
    std::optional<std::int64_t> version;
    std::int64_t title;
    std::string note;
    std::optional<std::string> weight;
    double hidden;
    bool rank;
    std::int32_t digest;
    skiff::blob changed;
    moment owner;
};

struct payment {
    std::int64_t id;
    skiff::blob name;
    moment mail;
    std::optional<std::int64_t> score;
    std::int64_t active;
    std::string kind;
    std::optional<std::string> content;
    double made;
    bool parent;
    std::string version;
    std::optional<std::string> title;
    double note;
    bool weight;
    std::int32_t hidden;
    skiff::blob rank;
    moment digest;
    std::optional<std::int64_t> changed;
    std::int64_t owner;
};

struct product {
    std::int64_t id;
    moment name;
    std::optional<std::int64_t> mail;
    std::int64_t score;
    std::string active;
    std::optional<std::string> kind;
    double content;
    bool made;
    std::int32_t parent;
    double version;
    bool title;
    std::int32_t note;
    skiff::blob weight;
    moment hidden;
    std::optional<std::int64_t> rank;
    std::int64_t digest;
    std::string changed;
    std::optional<std::string> owner;
};

struct shipment {
    std::int64_t id;
    std::optional<std::int64_t> name;
    std::int64_t mail;
    std::string score;
    std::optional<std::string> active;
    double kind;
    bool content;
    std::int32_t made;
    skiff::blob parent;
    std::int32_t version;
    skiff::blob title;
    moment note;
    std::optional<std::int64_t> weight;
    std::int64_t hidden;
    std::string rank;
    std::optional<std::string> digest;
    double changed;
    bool owner;
};

struct supplier {
    std::int64_t id;
    std::int64_t name;
    std::string mail;
    std::optional<std::string> score;
    double active;
    bool kind;
    std::int32_t content;
    skiff::blob made;
    moment parent;
    moment version;
    std::optional<std::int64_t> title;
    std::int64_t note;
    std::string weight;
    std::optional<std::string> hidden;
    double rank;
    bool digest;
    std::int32_t changed;
    skiff::blob owner;
};

struct ticket {
    std::int64_t id;
    std::string name;
    std::optional<std::string> mail;
    double score;
    bool active;
    std::int32_t kind;
    skiff::blob content;
    moment made;
    std::optional<std::int64_t> parent;
    std::int64_t version;
    std::string title;
    std::optional<std::string> note;
    double weight;
    bool hidden;
    std::int32_t rank;
    skiff::blob digest;
    moment changed;
    std::optional<std::int64_t> owner;
};

std::size_t use_user(skiff::connection& db, const std::vector<user>& added) {
    db.insert_many("insert into user values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   added);
    const auto first = db.one<user>("select * from user where id = ?", 1);
    std::size_t bytes = first.id > 0 ? 1 : 0;
    bytes += db.all<user>("select * from user where rank > ? and kind = ?", 0, "x").size();
    return bytes;
}

std::size_t use_account(skiff::connection& db, const std::vector<account>& added) {
    db.insert_many(
        "insert into account values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.maybe<account>("select * from account where id = ?", 2);
    std::size_t bytes = first->id > 0 ? 1 : 0;
    for (const auto& each : db.rows<account>("select * from account where owner = ?", "ann")) {
        bytes += static_cast<std::size_t>(each.id);
    }
    return bytes;
}

std::size_t use_address(skiff::connection& db, const std::vector<address>& added) {
    db.insert_many(
        "insert into address values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.one<address>("select * from address where id = ?", 3);
    std::size_t bytes = first.id > 0 ? 1 : 0;
    bytes += db.all<address>("select * from address where rank > ? and kind = ?", 2, "x").size();
    return bytes;
}

std::size_t use_article(skiff::connection& db, const std::vector<article>& added) {
    db.insert_many(
        "insert into article values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.maybe<article>("select * from article where id = ?", 4);
    std::size_t bytes = first->id > 0 ? 1 : 0;
    for (const auto& each : db.rows<article>("select * from article where owner = ?", "ann")) {
        bytes += static_cast<std::size_t>(each.id);
    }
    return bytes;
}

std::size_t use_invoice(skiff::connection& db, const std::vector<invoice>& added) {
    db.insert_many(
        "insert into invoice values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.one<invoice>("select * from invoice where id = ?", 5);
    std::size_t bytes = first.id > 0 ? 1 : 0;
    bytes += db.all<invoice>("select * from invoice where rank > ? and kind = ?", 4, "x").size();
    return bytes;
}

std::size_t use_payment(skiff::connection& db, const std::vector<payment>& added) {
    db.insert_many(
        "insert into payment values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.maybe<payment>("select * from payment where id = ?", 6);
    std::size_t bytes = first->id > 0 ? 1 : 0;
    for (const auto& each : db.rows<payment>("select * from payment where owner = ?", "ann")) {
        bytes += static_cast<std::size_t>(each.id);
    }
    return bytes;
}

std::size_t use_product(skiff::connection& db, const std::vector<product>& added) {
    db.insert_many(
        "insert into product values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.one<product>("select * from product where id = ?", 7);
    std::size_t bytes = first.id > 0 ? 1 : 0;
    bytes += db.all<product>("select * from product where rank > ? and kind = ?", 6, "x").size();
    return bytes;
}

std::size_t use_shipment(skiff::connection& db, const std::vector<shipment>& added) {
    db.insert_many(
        "insert into shipment values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        added);
    const auto first = db.maybe<shipment>("select * from shipment where id = ?", 8);
    std::size_t bytes = first->id > 0 ? 1 : 0;
    for (const auto& each : db.rows<shipment>("select * from shipment where owner = ?", "ann")) {
        bytes += static_cast<std::size_t>(each.id);
    }
    return bytes;
}

std::size_t use_supplier(skiff::connection& db, const std::vector<supplier>& added) {
    db.insert_many(
        "insert into supplier values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        added);
    const auto first = db.one<supplier>("select * from supplier where id = ?", 9);
    std::size_t bytes = first.id > 0 ? 1 : 0;
    bytes += db.all<supplier>("select * from supplier where rank > ? and kind = ?", 8, "x").size();
    return bytes;
}

std::size_t use_ticket(skiff::connection& db, const std::vector<ticket>& added) {
    db.insert_many(
        "insert into ticket values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", added);
    const auto first = db.maybe<ticket>("select * from ticket where id = ?", 10);
    std::size_t bytes = first->id > 0 ? 1 : 0;
    for (const auto& each : db.rows<ticket>("select * from ticket where owner = ?", "ann")) {
        bytes += static_cast<std::size_t>(each.id);
    }
    return bytes;
}

}  // namespace shop
