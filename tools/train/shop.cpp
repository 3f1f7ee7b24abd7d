// Many small transactions over a few thousand goods and buyers, in memory.
#include "kinds.hpp"

#include <string>

namespace train {

namespace {

constexpr int products = 4'000;
constexpr int buyers = 6'000;
constexpr int purchases = 16'000;

std::string sku(std::int64_t product) {
    return words::word(product) + "-" + std::to_string(product);
}

std::string login(std::int64_t buyer) {
    return words::word(buyer * 3) + "." + words::word(buyer) + std::to_string(buyer);
}

void fill(session& db, words& random) {
    db.rows("begin");
    for (int product = 1; product <= products; ++product) {
        db.rows("add_product", product, sku(product), random.sentence(3),
                random.between(99, 49'999), random.between(0, 500));
    }
    for (int buyer = 1; buyer <= buyers; ++buyer) {
        db.rows("add_buyer", login(buyer), random.some_word(200));
    }
    db.rows("commit");
}

/// A visit: look, fill the basket, buy; one in twelve changes their mind.
void visit(session& db, words& random, int day) {
    const auto name = login(random.between(1, buyers));
    const auto buyer = db.number("find_buyer", name);
    expect(buyer > 0, "a buyer is found by name");
    for (int look = 0; look < 6; ++look) {
        expect(db.rows("product_of", 1 + random.skewed(products)) == 1, "a product by its key");
    }
    db.rows("begin");
    const auto purchase = db.number("start_purchase", buyer, day);
    const auto things = random.between(1, 5);
    for (std::int64_t thing = 0; thing < things; ++thing) {
        const auto wanted = sku(1 + random.skewed(products));
        db.rows("put_in_basket", name, wanted, random.between(1, 3));
        db.rows("savepoint");
        db.rows("add_line", purchase, db.number("find_sku", wanted), random.between(1, 3));
        if (random.one_in(12)) db.rows("undo");
        db.rows("keep");
    }
    if (random.one_in(5)) db.rows("replace_in_basket", name, sku(1), 1);
    db.rows("empty_basket", name);
    db.rows("commit");
    db.rows("bill", purchase);
    if (random.one_in(3)) db.rows("ship", purchase);
    if (random.one_in(12)) db.rows("cancel", purchase);
    if (random.one_in(2)) db.rows("purchases_of_buyer", buyer);
}

}  // namespace

void shop(const task& given) {
    session db(given.work, ":memory:");
    db.all("foreign_keys");
    db.all("schema");
    fill(db, given.random);
    for (int number = 0; number < purchases; ++number) {
        const int day = number / 100;
        visit(db, given.random, day);
        if (number % 400 == 0) {
            db.rows("raise_price", given.random.between(1, products - 4), 5);
            db.rows("restock", 10);
            db.rows("open_of_day", day);
            db.rows("best_sellers", day - 20, day);
        }
        if (number % 4'000 == 0) {
            db.rows("never_sold");
            expect(db.rows("cities") <= 200, "no more cities than there are");
        }
    }
    expect(db.number("lines") > purchases, "more than a line each");
    expect(db.number("orphans") == 0, "no line without its purchase");
    db.rows("stock_left");
}

}  // namespace train
