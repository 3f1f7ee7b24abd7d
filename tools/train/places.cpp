// A map: boxes that are added, moved, removed and looked for, and distances on a sphere.
#include "kinds.hpp"

namespace train {

namespace {

constexpr int count = 25'000;

void fill(session& db, words& random) {
    db.rows("begin");
    for (int place = 1; place <= count; ++place) {
        const double lat = random.real(-80, 80);
        const double lon = random.real(-180, 179);
        db.rows("add_place", place, random.some_word(), lat, lon, random.skewed(2'000'000));
        db.rows("add_box", place, lon, lon + random.real(0, 0.5), lat, lat + random.real(0, 0.5),
                random.one_in(3) ? "town" : "village");
        if (place % 100 == 0)
            db.rows("add_shape", random.some_word(), lon, lat, 3.5, place % 7 + 3);
    }
    db.rows("commit");
}

}  // namespace

void places(const task& given) {
    auto& random = given.random;
    session db(given.work, ":memory:");
    db.all("schema");
    fill(db, random);
    expect(db.number("touching", -180, 180, -90, 90) == count, "all of the world");
    for (int number = 0; number < 3'000; ++number) {
        const double lat = random.real(-70, 60);
        const double lon = random.real(-170, 160);
        db.rows("inside", lon, lon + 9, lat, lat + 7);
        db.rows("touching", lon, lon + 2, lat, lat + 2);
        if (number % 4 == 0) db.rows("named_inside", lon, lon + 6, lat, lat + 6);
        if (number % 6 == 0) db.rows("move_box", random.between(1, count), 0.25);
        if (number % 150 == 0) {
            expect(db.rows("nearest", lat, lon) == 5, "as many as asked for");
            db.rows("compass", lat, lon);
            db.rows("shapes_at", lon, lat, 20.0);
            db.rows("density");
        }
    }
    for (int place = 1; place <= count; place += 11) db.rows("drop_box", place);
    db.rows("check");
    expect(db.number("touching", -180, 180, -90, 90) < count, "some are gone");
}

}  // namespace train
