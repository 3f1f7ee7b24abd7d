// A company of some thousand people: who leads whom, who can what, who works when.
#include "kinds.hpp"

#include <string>

namespace train {

namespace {

constexpr int people = 12'000;
constexpr int teams = 150;

std::string town(std::int64_t number) {
    return words::word(500 + number);
}

void fill(session& db, words& random) {
    db.rows("begin");
    for (int team = 1; team <= teams; ++team) {
        db.rows("add_team", team, "team " + words::word(team), team % 9);
    }
    for (int person = 1; person <= people; ++person) {
        const auto hired = "20" + std::to_string(random.between(10, 25)) + "-0" +
                           std::to_string(random.between(1, 9)) + "-11";
        const auto salary = random.between(18'000, 99'000);
        if (person == 1) {
            db.rows("add_person", person, nullptr, random.name(), 1, salary, hired);
        } else {
            db.rows("add_person", person, random.between(person / 8 + 1, person / 5 + 1),
                    random.name(), random.between(1, teams), salary, hired);
        }
        for (std::int64_t skill = random.between(0, 3); skill > 0; --skill) {
            db.rows("add_skill", person, words::word(random.skewed(60)), random.between(1, 10));
        }
    }
    for (int number = 0; number < 5 * people; ++number) {
        db.rows("add_shift", random.between(1, people), number % 52, random.real(1, 9));
    }
    for (int number = 0; number < 4'000; ++number) {
        db.rows("add_road", town(random.between(0, 700)), town(random.between(0, 700)),
                number % 90);
    }
    db.rows("commit");
}

void recursion(session& db, words& random) {
    expect(db.number("subordinates", 1) == people, "all are below the first");
    db.rows("chart");
    db.rows("loan", 9.0e6, 0.0119, 9'000.0);
    db.rows("loan", 2.5e5, 0.04, 834.0);
    expect(db.rows("workdays", "2024-02-29") == 12, "twelve months");
    db.rows("factors", random.between(1'000'000'000, 9'000'000'000));
    expect(db.number("reachable", town(1)) > 0, "a town reaches itself");
    for (int number = 0; number < 100; ++number) {
        db.rows("bosses", random.between(1, people));
        db.rows("subordinates", random.between(2, people / 10));
        db.rows("same_boss", random.between(1, people / 10));
    }
}

void joins(session& db, words& random) {
    expect(db.rows("salaries_of_team") == teams, "one row a team");
    db.rows("hours_by_key", random.between(20'000, 60'000));
    for (int week = 0; week < 12; ++week) db.rows("hours_and_names", week);
    db.rows("boss_names");
    db.rows("skills_without_index");
    db.rows("unskilled", "2015-01-01");
    db.rows("clever", words::word(1), words::word(4));
    db.rows("either", 3, "b%");
    expect(db.rows("share") == 40, "as many as asked for");
    expect(db.rows("bands") == 3, "three bands");
    db.rows("raise", random.between(1, teams));
}

}  // namespace

void staff(const task& given) {
    session db(given.work, ":memory:");
    db.all("schema");
    fill(db, given.random);
    expect(db.number("count") == people, "everybody is there");
    db.rows("richest_of_team");
    db.all("analyze");
    for (int round = 0; round < 5; ++round) {
        recursion(db, given.random);
        joins(db, given.random);
    }
}

}  // namespace train
