// Letters in a made-up language: written, searched, taken apart, thrown away.
#include "kinds.hpp"

#include <string>

namespace train {

namespace {

constexpr int mails = 14'000;

std::string sender(words& random) {
    const auto domain = words::word(random.skewed(300));
    return words::word(random.skewed(2'000)) + "@" + domain + (random.one_in(3) ? ".org" : ".net");
}

void fill(session& db, words& random) {
    db.rows("begin");
    for (int number = 1; number <= mails; ++number) {
        auto subject = random.sentence(random.between(2, 6));
        if (random.one_in(3)) subject = "Re: " + subject;
        db.rows("add_mail", number, sender(random), subject,
                random.sentence(random.between(15, 90)));
        if (number % 3 == 0) db.rows("add_note", random.sentence(9));
        if (number % 3 == 1) db.rows("add_address", sender(random));
        if (number % 500 == 0) {
            db.rows("commit");
            db.rows("begin");
        }
    }
    db.rows("commit");
}

void search(session& db, words& random) {
    const auto one = random.some_word(3'000);
    const auto two = random.some_word(300);
    const auto three = random.some_word(60);
    // Words of the search language must be in quotes.
    const auto quoted = [](const std::string& word) { return '"' + word + '"'; };
    const auto both = quoted(one) + " AND " + quoted(two);
    db.rows("matches", both);
    db.rows("matches", quoted(two) + " AND " + quoted(three));
    db.rows("matching_rows", quoted(one) + " OR " + quoted(two) + " OR " + quoted(three));
    db.rows("matches", quoted(two) + " NOT " + quoted(three));
    db.rows("matches", quoted(two + " " + three));
    db.rows("matches", "NEAR(" + quoted(two) + " " + quoted(three) + ", 6)");
    db.rows("matching_rows", quoted(one.substr(0, 3)) + "*");
    db.rows("matches", quoted(two.substr(0, 2)) + "*");
    db.rows("matches", "subject : " + quoted(two));
    db.rows("best", quoted(two) + " OR " + quoted(one));
    db.rows("best_by_rank", quoted(two) + " AND " + quoted(three));
    db.rows("extract", quoted(one));
    db.rows("stemmed", one + "s OR " + two);
    db.rows("substring", "%" + one + "@%");
}

void read_all(session& db, words& random) {
    for (int round = 0; round < 4; ++round) {
        db.rows("from_sender", sender(random));
        db.rows("subjects_with", "%" + random.some_word(100) + "%");
        db.rows("subjects_glob", "*" + random.some_word(100) + "*[a-f]?");
        expect(db.rows("domains") > 10, "many domains");
        db.rows("tidy_subjects");
        expect(db.rows("lines", round) > mails / 10, "one mail in seven");
        db.rows("shouting");
        expect(db.rows("longest") == 9, "the longest");
    }
}

}  // namespace

void mail(const task& given) {
    session db(given.work, ":memory:");
    db.all("schema");
    fill(db, given.random);
    expect(db.number("count") == mails, "every mail is there");
    expect(db.number("matches", words::word(1)) > 0, "a frequent word is found");
    for (int number = 0; number < 60; ++number) search(db, given.random);
    read_all(db, given.random);
    db.rows("begin");
    for (int number = 1; number < mails; number += 9) db.rows("drop_mail", number);
    db.rows("commit");
    db.all("check");
    db.all("merge");
    for (int number = 0; number < 60; ++number) search(db, given.random);
}

}  // namespace train
