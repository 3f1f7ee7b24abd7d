// How C++ values become SQLite values and back; docs/guides/values.md shows the parts.
#include "expect.hpp"

#include <skiff/skiff.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;

// [struct]
struct boat {
    std::int64_t id;
    std::string name;
    std::optional<double> length_m;
};
// [/struct]

// [enum]
enum class rig { sloop, ketch, yawl };

template <>
inline constexpr auto skiff::enum_names<rig> = std::to_array<std::pair<rig, std::string_view>>(
    {{rig::sloop, "sloop"}, {rig::ketch, "ketch"}, {rig::yawl, "yawl"}});
// [/enum]

// [own-type]
struct money {
    std::int64_t cents;
};

template <>
struct skiff::mapping<money> {
    static money read(skiff::value_ref source) {
        const auto cents = source.read<std::int64_t>();
        if (cents < 0) source.fail("a price below zero");
        return {cents};
    }
    static void write(skiff::value_sink sink, const money& price) { sink.write(price.cents); }
};
// [/own-type]

namespace {

void structs_and_null(skiff::connection& db) {
    // [rows]
    db.exec("create table boat(id integer primary key, name text not null, length_m real) strict");
    db.exec("insert into boat(name, length_m) values (?, ?)", "Tern", 7.5);
    db.exec("insert into boat(name, length_m) values (?, ?)", "Skua", skiff::null);

    const auto all = db.all<boat>("select id, name, length_m from boat order by id");
    const auto [name, length] =
        db.one<std::tuple<std::string, double>>("select name, length_m from boat where id = 1");
    const auto known = db.maybe<std::optional<double>>("select length_m from boat where id = 2");
    // known: there is a row (has_value), and what it holds is NULL (*known is empty)
    // [/rows]
    expect(all.size() == 2 && all[0].name == "Tern" && !all[1].length_m);
    expect(name == "Tern" && length == 7.5);
    expect(known.has_value() && !known->has_value());
    expect(!db.maybe<std::optional<double>>("select length_m from boat where id = 99"));
    std::cout << all.size() << " boats, the first is " << name << ", " << length << " m\n";
}

void strictness(skiff::connection& db) {
    int refused = 0;
    // [strict]
    try {
        static_cast<void>(db.one<std::int8_t>("select 300"));
    } catch (const skiff::conversion& wrong) {
        std::cout << wrong.what() << '\n';
        // [/strict]
        ++refused;
    }
    const auto refuses = [&](auto&& read) {
        try {
            read();
        } catch (const skiff::conversion&) {
            ++refused;
        }
    };
    refuses([&] { static_cast<void>(db.one<int>("select 'seven'")); });
    refuses([&] { static_cast<void>(db.one<int>("select null")); });
    refuses([&] { static_cast<void>(db.one<std::string>("select 7")); });
    refuses([&] { static_cast<void>(db.one<boat>("select 1, 'Tern'")); });  // two of three columns
    refuses([&] { db.exec("select ?", ~std::uint64_t{0}); });  // above SQLite's largest integer
    refuses([&] { db.exec("select ?", "\xff"); });             // not UTF-8
    expect(refused == 7);
}

void views(skiff::connection& db) {
    // [views]
    std::size_t bytes = 0;
    for (auto [id, name] :
         db.rows<std::int64_t, std::string_view>("select id, name from boat order by id")) {
        bytes += name.size();  // `name` points into SQLite's memory until the next turn
    }
    // [/views]
    expect(bytes == 8);
    // [untyped]
    for (const skiff::row& row : db.query("select * from boat where id = ?", 1)) {
        for (int i = 0; i < row.size(); ++i) {
            std::cout << row.name(i) << " is " << skiff::name_of(row[i].type()) << '\n';
        }
        std::cout << row.get<std::string>("name") << '\n';
    }
    const auto any = db.one<skiff::value>("select length_m from boat where id = 1");
    // [/untyped]
    expect(std::get<double>(any) == 7.5);
}

void times(skiff::connection& db) {
    // [chrono]
    using milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;
    const milliseconds left = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + 9h + 250ms;
    const std::chrono::minutes took = 95min;
    db.exec("create table trip(left text, took_min integer, day text, seen integer) strict");
    db.exec("insert into trip values (?, ?, ?, ?)", left, took,
            std::chrono::year(2026) / 11 / 30,  // 2026-11-30
            skiff::epoch{left});                // milliseconds since 1970, as an integer

    const auto text = db.one<std::string>("select left from trip");  // 2026-11-30T09:00:00.250Z
    const auto back = db.one<milliseconds>("select left from trip");
    // [/chrono]
    expect(text == "2026-11-30T09:00:00.250Z" && back == left);
    expect(db.one<std::chrono::minutes>("select took_min from trip") == took);
    expect(db.one<std::string>("select day from trip") == "2026-11-30");
    expect(db.one<skiff::epoch<milliseconds>>("select seen from trip").time == left);
    expect(db.one<std::string>("select datetime(left) from trip") == "2026-11-30 09:00:00");
    std::cout << "left at " << text << '\n';
}

void enums_and_own_types(skiff::connection& db) {
    // [enum-use]
    db.exec("create table offer(rig text, cents integer) strict");
    db.exec("insert into offer values (?, ?)", rig::ketch, money{1'250'000});
    const auto [kind, price] =
        db.one<std::pair<rig, money>>("select rig, cents from offer where rig = ?", rig::ketch);
    // [/enum-use]
    expect(kind == rig::ketch && price.cents == 1'250'000);
    expect(db.one<std::string>("select rig from offer") == "ketch");
}

void blobs(skiff::connection& db) {
    // [blob]
    const std::vector<std::byte> picture{std::byte{0xff}, std::byte{0xd8}, std::byte{0x00}};
    db.exec("create table photo(id integer primary key, content blob not null) strict");
    db.exec("insert into photo(content) values (?)", picture);
    const auto copy = db.one<skiff::blob>("select content from photo where id = 1");
    for (const auto view : db.rows<skiff::blob_view>("select content from photo")) {
        std::cout << view.size() << " bytes\n";  // nothing is copied here
    }
    // [/blob]
    expect(copy == picture);
    expect(db.one<skiff::blob>("select x''").empty());
}

void arrays(skiff::connection& db) {
    // [array]
    const std::vector<std::int64_t> wanted{1, 2, 77};
    const auto names = db.all<std::string>(
        "select name from boat where id in skiff_array(?) order by name", wanted);

    const std::vector<std::string> new_names{"Gull", "Petrel"};
    db.exec("insert into boat(name) select value from skiff_array(?)", new_names);
    // [/array]
    expect(names == std::vector<std::string>{"Skua", "Tern"});
    expect(db.one<int>("select count(*) from boat") == 4);
}

void arguments(skiff::connection& db) {
    // [named]
    db.exec("update boat set length_m = :length where name = :name", skiff::named("length", 8.2),
            skiff::named("name", "Skua"));
    // [/named]
    expect(db.one<double>("select length_m from boat where name = 'Skua'") == 8.2);
    // [list]
    skiff::argument_list given;  // what a user typed, a request carried …
    given.positional = {std::int64_t{2}, 10.0};
    const auto found =
        db.all<std::string>("select name from boat where id >= ? and length_m < ?", given);
    // [/list]
    expect(found == std::vector<std::string>{"Skua"});
}

void raw_bytes(skiff::connection& db) {
    // [raw-text]
    const std::string_view from_a_file = "caf\xe9";  // Latin-1, not UTF-8
    const auto stored = db.one<std::string>("select ?", skiff::raw_text{from_a_file});
    // [/raw-text]
    expect(stored == from_a_file);
}

}  // namespace

int main() {
    auto db = skiff::connection::open(":memory:");
    structs_and_null(db);
    strictness(db);
    views(db);
    times(db);
    enums_and_own_types(db);
    blobs(db);
    arrays(db);
    arguments(db);
    raw_bytes(db);
}
