// More rows than fit the page cache: sorts, indexes on filled tables, groups, copies.
#include "kinds.hpp"

#include <array>

namespace train {

namespace {

constexpr int books = 90'000;

void fill(session& db, words& random) {
    db.rows("begin");
    for (int book = 1; book <= books; ++book) {
        db.rows("add_book", book, random.sentence(random.between(1, 5)), random.name(),
                random.between(1850, 2024), random.between(40, 1'200), random.real(0.1, 3));
    }
    db.rows("commit");
}

void look_up(session& db, words& random) {
    for (int number = 0; number < 2'000; ++number) {
        auto title = random.sentence(1);
        db.rows("page_of_titles", title);
        db.rows("of_author", random.name());
        if (number % 20 == 0) db.rows("between_titles", title, title + "zz");
    }
}

}  // namespace

void library(const task& given) {
    session db(given.work, ":memory:");
    db.all("schema");
    fill(db, given.random);
    for (int round = 0; round < 2; ++round) {
        for (const auto* sort : {"titles_down", "by_author_and_title", "by_pages", "by_weight"}) {
            expect(db.rows(sort) == books, "every row, sorted");
        }
        expect(db.rows("heaviest") == 30, "as many as asked for");
        db.rows("authors");
        expect(db.rows("years") == 175, "every year");
        db.rows("thickness");
        db.rows("productive");
        db.rows("words_in_titles");
        db.rows("neighbours");
        db.all("copy");
        db.all("copy_more");
        expect(db.number("copied") == books, "all copied");
        db.all("drop_copy");
    }
    for (int round = 0; round < 2; ++round) {
        db.all("index_titles");
        if (round == 0) db.all("drop_titles");
    }
    db.all("index_authors");
    db.all("index_weights");
    look_up(db, given.random);
    expect(db.number("count") == books, "no book is lost");
}

}  // namespace train
