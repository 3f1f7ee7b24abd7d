// Documents of devices, as JSON: written, read in parts, changed, taken apart.
#include "kinds.hpp"

#include <string>

namespace train {

namespace {

constexpr int reports = 14'000;
constexpr int devices = 30'000;

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

std::string report(words& random) {
    std::string body = "{\"place\":" + quoted(random.some_word(400)) + ", \"tags\": [";
    const auto tags = random.between(1, 5);
    for (std::int64_t tag = 0; tag < tags; ++tag) {
        body += (tag > 0 ? "," : "") + quoted(random.some_word(80));
    }
    body += "],\n \"detail\": {\"name\":" + quoted(random.name() + "\\n\\u00e9t\\u00e9") +
            ",\"level\":" + std::to_string(random.between(-9, 900)) +
            ",\"ok\":true,\"none\":null}" + ", \"values\":[1";
    const auto values = random.between(2, 12);
    for (std::int64_t value = 0; value < values; ++value) {
        body += ',' + std::to_string(random.between(0, 99'999));
        if (random.one_in(3)) body += ".25e1";
    }
    return body + "], \"note\": " + quoted(random.sentence(random.between(3, 25))) + '}';
}

void ask(session& db, words& random) {
    for (int number = 0; number < 400; ++number) {
        const auto from = random.between(1, reports - 30);
        db.rows("in_place", random.some_word(400));
        expect(db.rows("fields", from, from + 9) == 10, "ten reports");
        if (number % 10 == 0) db.rows("leaves", from, from + 30);
    }
    db.rows("packed_fields");
    db.rows("loud", "K");
    expect(db.rows("tags") > 20, "tags of all");
    expect(db.rows("sums") == reports, "a sum each");
    db.rows("strip");
    db.rows("insert_in_list");
    db.rows("pretty", 900);
}

}  // namespace

void documents(const task& given) {
    auto& random = given.random;
    session db(given.work, ":memory:");
    db.all("schema");
    db.rows("begin");
    for (int number = 0; number < reports; ++number) db.rows("add_report", report(random));
    for (int number = 1; number <= devices; ++number) {
        db.rows("add_device", number, words::word(number % 40), random.name(),
                random.between(1, 2'000), random.real(1, 900));
    }
    db.rows("commit");
    db.all("pack");
    db.all("index");
    for (int round = 0; round < 3; ++round) {
        ask(db, random);
        expect(db.rows("device_objects") == devices, "an object each");
        db.rows("device_lists");
        db.rows("by_maker");
        expect(db.number("round_trip") == devices, "what goes in comes out");
        db.rows("change", round * 100, round);
        db.rows("patch", R"({"detail":{"ok":false,"seen":[1,2]},"note":null})", round);
    }
    expect(db.number("count") == reports, "no report is lost");
}

}  // namespace train
