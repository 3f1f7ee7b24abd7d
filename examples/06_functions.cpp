// SQL functions in C++, blobs in pieces, copies of whole databases; docs/reference/api.md shows the
// parts.
#include "expect.hpp"

#include <skiff/skiff.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// [aggregate]
struct longest_text {
    std::string best;
    void step(std::string_view text) {
        if (text.size() > best.size()) best = text;
    }
    std::string finish() { return best; }
};
// [/aggregate]

// [window]
struct moving_sum {
    std::int64_t sum = 0;
    void step(std::int64_t number) { sum += number; }     // a row enters the frame
    void inverse(std::int64_t number) { sum -= number; }  // a row leaves it
    std::int64_t value() { return sum; }                  // the result for the current row
    std::int64_t finish() { return sum; }
};
// [/window]

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

void functions(skiff::database& db) {
    // [scalar]
    db.define_function("initial", [](std::string_view text) { return text.substr(0, 1); });
    db.define_function("divide", [](std::int64_t a, std::int64_t b) {
        if (b == 0) throw std::domain_error("division by zero");
        return a / b;
    });
    db.define_function("count_arguments",
                       [](const skiff::function_arguments& given) { return given.size(); });

    const auto initial = db.one<std::string>("select initial(?)", "skiff");
    // [/scalar]
    expect(initial == "s" && db.one<int>("select divide(7, 2)") == 3);
    expect(db.one<int>("select count_arguments(1, 'two', null)") == 3);

    bool same_exception = false;
    // [scalar-throws]
    try {
        static_cast<void>(db.one<int>("select divide(1, 0)"));
    } catch (const std::domain_error& thrown) {  // what the function threw, as it was thrown
        // [/scalar-throws]
        same_exception = std::string_view(thrown.what()) == "division by zero";
    }
    expect(same_exception);
}

void aggregates(skiff::database& db) {
    db.write([](skiff::transaction& tx) {
        tx.exec("create table word(id integer primary key, text text not null) strict");
        const std::vector<std::string> words{"oar", "Rope", "anchor", "Sail"};
        tx.insert_many("insert into word(text) values (?)", words);
    });
    // [aggregate-use]
    db.define_aggregate<longest_text>("longest");
    db.define_window<moving_sum>("moving_sum");
    const auto longest = db.one<std::string>("select longest(text) from word");
    const auto sums = db.all<std::int64_t>(
        "select moving_sum(length(text)) over (order by id rows 1 preceding) from word");
    // [/aggregate-use]
    expect(longest == "anchor");
    expect(sums == std::vector<std::int64_t>{3, 7, 10, 10});

    // [collation]
    db.define_collation("any_case", [](std::string_view a, std::string_view b) {
        return std::lexicographical_compare_three_way(
            a.begin(), a.end(), b.begin(), b.end(),
            [](char x, char y) { return lower(x) <=> lower(y); });
    });
    const auto sorted = db.all<std::string>("select text from word order by text collate any_case");
    // [/collation]
    expect(sorted == std::vector<std::string>{"anchor", "oar", "Rope", "Sail"});
    std::cout << "longest: " << longest << ", first: " << sorted.front() << '\n';
}

void expression_index(skiff::database& db) {
    // [index]
    db.define_function("folded",
                       [](std::string text) {
                           std::ranges::transform(text, text.begin(), lower);
                           return text;
                       },
                       {.deterministic = true, .direct_only = false, .innocuous = true});
    db.exec("create index word_folded on word(folded(text))");
    const auto id = db.one<int>("select id from word where folded(text) = ?", "rope");
    // [/index]
    expect(id == 2);
    db.write([](skiff::transaction& tx) {
        using plan = std::tuple<int, int, int, std::string>;
        const auto found = tx.one<plan>(
            "explain query plan select id from word"
            " where folded(text) = 'rope'");
        expect(std::get<3>(found).find("word_folded") != std::string::npos);
    });
}

void blob_pieces(skiff::connection& db) {
    // [blob]
    db.exec("create table file(id integer primary key, content blob not null) strict");
    const auto made = db.exec("insert into file(content) values (?)", skiff::zero_blob{1'000'000});
    auto content =
        db.open_blob({.table = "file", .column = "content", .rowid = made.last_insert_rowid},
                     skiff::blob_access::read_write);
    std::array<std::byte, 4096> piece{};
    piece.fill(std::byte{0x5a});
    for (std::size_t at = 0; at < content.size(); at += piece.size()) {
        const auto count = std::min(piece.size(), content.size() - at);
        content.write(std::span(piece).first(count), at);
    }
    content.close();  // reports what went wrong, which the destructor cannot
    // [/blob]
    const auto whole = db.one<skiff::blob>("select content from file");
    expect(whole.size() == 1'000'000 &&
           std::ranges::all_of(whole, [](std::byte each) { return each == std::byte{0x5a}; }));
}

void copies(skiff::database& db) {
    int steps = 0;
    // [backup]
    auto target = skiff::connection::open("copy.db");
    skiff::backup_options options;
    options.pages_per_step = 2;
    options.on_progress = [&](const skiff::backup_progress& now) {
        std::cout << now.pages_done << " of " << now.pages_total << " pages\n";
        ++steps;
    };
    db.backup_to(target, options);  // readers and writers go on meanwhile
    // [/backup]
    expect(steps > 0 && target.one<int>("select count(*) from word") == 4);

    // [image]
    skiff::image bytes = target.serialize();
    std::cout << bytes.size() << " bytes\n";
    auto in_memory = skiff::connection::deserialize(std::move(bytes));
    // [/image]
    expect(in_memory.one<int>("select count(*) from word") == 4);

    // [vacuum-into]
    target.vacuum_into("compact.db");  // a compact copy; the file must not exist
    // [/vacuum-into]
    expect(skiff::connection::open("compact.db").one<int>("select count(*) from word") == 4);
}

}  // namespace

int main() {
    auto db = skiff::database::open("words.db");
    functions(db);
    aggregates(db);
    copies(db);
    expression_index(db);
    auto alone = skiff::connection::open(":memory:");
    blob_pieces(alone);
}
