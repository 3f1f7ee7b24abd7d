// Readings of stations, in the order of time: filled, indexed afterwards, asked and corrected.
#include "kinds.hpp"

#include <array>
#include <string>

namespace train {

namespace {

constexpr int stations = 60;
constexpr int readings = 110'000;
constexpr std::int64_t start = 1'700'000'000;
constexpr std::int64_t step_s = 13;
constexpr std::array skies{"clear", "cloudy", "rain", "snow", "fog", "haze"};

void fill(session& db, words& random) {
    db.rows("begin");
    for (int station = 1; station <= stations; ++station) {
        db.rows("add_station", station, random.some_word(), random.real(0, 3'000));
    }
    for (int number = 0; number < readings; ++number) {
        const auto sky =
            random.one_in(10) ? nullptr : skies.at(static_cast<std::size_t>(random.between(0, 5)));
        const auto taken = start + number * step_s;
        const auto station = random.between(1, stations);
        const auto celsius = random.real(-20, 38);
        const auto wind = random.real(0, 25);
        if (sky == nullptr) {
            db.rows("add_reading", station, taken, celsius, nullptr, wind, nullptr);
        } else {
            db.rows("add_reading", station, taken, celsius, random.real(950, 1'050), wind, sky);
        }
    }
    db.rows("commit");
}

void ask_stations(session& db, words& random) {
    for (int number = 0; number < 500; ++number) {
        const auto station = random.between(1, stations);
        const auto from = start + random.between(0, readings) * step_s;
        db.rows("day_of_station", station, from, from + 86'400);
        db.rows("latest", station);
        if (number % 20 != 0) continue;
        expect(db.rows("hours", station) > 100, "hours of a station");
        db.rows("change", station);
        db.rows("running", station);
        db.rows("smooth", station, station + 2);
        db.rows("correct", 0.1, station, from, from + 40'000);
    }
    db.rows("outliers", 7);
    db.rows("forget", 3, start + 300'000);
}

void ask_all(session& db) {
    for (int round = 0; round < 3; ++round) {
        expect(db.rows("by_sky") == 7, "six skies and unknown");
        db.rows("monthly", 4 + round, 9, 23);
        db.rows("by_height");
        expect(db.rows("by_minute") == 1'440, "minutes of a day");
        db.rows("windiest", start + 400'000);
        db.rows("wind_chill");
        db.rows("saturation");
        db.rows("rounded");
        expect(db.rows("coldest") == 100, "as many as asked for");
        expect(db.rows("all_by_pressure") > readings / 2, "all rows, sorted");
    }
    db.rows("middle", 20);
}

}  // namespace

void weather(const task& given) {
    session db(given.work, ":memory:");
    db.all("schema");
    fill(db, given.random);
    expect(db.number("count") == readings, "every reading is there");
    db.all("index_by_station");
    db.all("index_by_sky");
    ask_all(db);
    ask_stations(db, given.random);
    expect(db.number("count") < readings, "some are forgotten");
}

}  // namespace train
