// Rows carry a hash of all their parts, so that half a row is noticed.
#include "support/oracle.hpp"

#include "support/raw_sqlite.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace skiff_test {

namespace {

/// FNV-1a over the payload, started from the row's numbers.
std::int64_t hash_of(const attempt& row, std::string_view payload) {
    std::uint64_t state = 14695981039346656037U;
    const auto mix = [&state](std::uint64_t part) { state = (state ^ part) * 1099511628211U; };
    mix(static_cast<std::uint64_t>(row.n));
    mix(static_cast<std::uint64_t>(row.client));
    mix(static_cast<std::uint64_t>(row.client_seq));
    for (const char byte : payload) mix(static_cast<unsigned char>(byte));
    return static_cast<std::int64_t>(state >> 1);
}

std::string random_payload(random_numbers& random) {
    const int bytes = random.once_in(20) ? random.below(20'000) : random.below(300);
    std::string payload(static_cast<std::size_t>(bytes), '\0');
    std::uint64_t bits = random.bits();
    for (char& byte : payload) {
        bits = bits * 6364136223846793005U + 1442695040888963407U;
        byte = static_cast<char>('a' + (bits >> 60));
    }
    return payload;
}

std::string named(const attempt& row) {
    return "n " + std::to_string(row.n) + ", client " + std::to_string(row.client) + ", its no. " +
           std::to_string(row.client_seq);
}

using client_entry = std::pair<std::int32_t, std::int32_t>;

/// Reads all entries; what is wrong with them by themselves goes to `wrong`.
std::map<client_entry, std::int64_t> read_entries(skiff::snapshot& snap,
                                                  std::vector<std::string>& wrong) {
    std::map<client_entry, std::int64_t> entries;
    std::int64_t expected = 0;
    using row =
        std::tuple<std::int64_t, std::int32_t, std::int32_t, std::string_view, std::int64_t>;
    for (const auto& [n, client, client_seq, payload, hash] :
         snap.rows<row>("select n, client, client_seq, payload, hash from entry order by n")) {
        const attempt found{n, client, client_seq};
        if (n != ++expected) wrong.push_back("rows do not go on from 1: " + named(found));
        expected = n;
        if (hash != hash_of(found, payload)) wrong.push_back("wrong hash: " + named(found));
        if (!entries.emplace(client_entry(client, client_seq), n).second) {
            wrong.push_back("twice: " + named(found));
        }
    }
    return entries;
}

}  // namespace

void prefix_oracle::make_schema(skiff::database& db) {
    db.write([](skiff::transaction& tx) {
        tx.exec("create table seq(n integer not null)");
        tx.exec("insert into seq values (0)");
        tx.exec(
            "create table entry(n integer primary key, client integer not null, "
            "client_seq integer not null, payload text not null, hash integer not null)");
        tx.exec("create unique index by_client on entry(client, client_seq)");
        tx.exec(
            "create table link(entry integer not null references entry "
            "deferrable initially deferred)");
        tx.exec("create table noise(id integer primary key, v)");
    });
}

std::int64_t prefix_oracle::write_entry(skiff::transaction& tx,
                                        std::int32_t client,
                                        std::int32_t client_seq,
                                        random_numbers& random) {
    const auto n = tx.one<std::int64_t>("update seq set n = n + 1 returning n");
    const auto payload = random_payload(random);
    tx.exec("insert into entry values (?, ?, ?, ?, ?)", n, client, client_seq, payload,
            hash_of({n, client, client_seq}, payload));
    return n;
}

std::size_t prefix_oracle::acknowledged() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(told_, [](const attempt& each) { return each.n > 0; }));
}

std::vector<std::string> prefix_oracle::check(skiff::database& db) const {
    std::vector<std::string> wrong;
    auto snap = db.read();
    const auto entries = read_entries(snap, wrong);
    const auto last = snap.one<std::int64_t>("select n from seq");
    if (last != static_cast<std::int64_t>(entries.size())) {
        wrong.push_back("seq is " + std::to_string(last) + ", but there are " +
                        std::to_string(entries.size()) + " rows");
    }
    for (const auto& each : told_) {
        const auto found = entries.find({each.client, each.client_seq});
        if (each.n == 0) {
            if (found != entries.end()) wrong.push_back("refused, but there: " + named(each));
        } else if (found == entries.end()) {
            wrong.push_back("acknowledged, but lost: " + named(each));
        } else if (found->second != each.n) {
            wrong.push_back("acknowledged under another number: " + named(each));
        }
    }
    if (snap.one<std::int64_t>("select count(*) from link") != 0) {
        wrong.emplace_back("a row that breaks a foreign key was committed");
    }
    return wrong;
}

std::vector<std::string> prefix_oracle::check_structure(const std::filesystem::path& path) {
    std::vector<std::string> wrong;
    const auto integrity = integrity_of(path);
    if (integrity != "ok") wrong.push_back(integrity);
    raw_database stock(path, SQLITE_OPEN_READWRITE);
    sqlite3_busy_timeout(stock.handle(), 30'000);
    if (!stock.column("pragma foreign_key_check").empty()) wrong.emplace_back("foreign keys");
    if (stock.number("select count(*) from entry") !=
        stock.number("select count(*) from entry indexed by by_client where client >= 0")) {
        wrong.emplace_back("index and table disagree");
    }
    return wrong;
}

}  // namespace skiff_test
