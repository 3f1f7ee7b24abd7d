// Databases in files, with a log and with a journal, beside a second connection, and their upkeep.
#include "kinds.hpp"

#include <string>
#include <vector>

namespace train {

namespace {

constexpr int parcels = 9'000;

std::string code(std::int64_t parcel) {
    return words::word(parcel * 7) + std::to_string(parcel);
}

std::string town(words& random) {
    return words::word(random.skewed(250));
}

void fill(session& db, words& random) {
    int parcel = 0;
    while (parcel < parcels) {
        db.rows("begin");
        for (int number = 0; number < 30; ++number) {
            std::vector<unsigned char> label(static_cast<std::size_t>(
                random.one_in(60) ? random.between(5'000, 40'000) : random.between(20, 200)));
            for (auto& byte : label) byte = static_cast<unsigned char>(random.between(0, 255));
            ++parcel;
            db.rows("add_parcel", parcel, code(parcel), town(random), random.between(10, 9'000),
                    label);
            db.rows("add_event", parcel, number, "taken");
        }
        db.rows(random.one_in(2'000) ? "rollback" : "commit");
    }
}

void daily_work(session& db, session& other, words& random, int rounds) {
    for (int number = 0; number < rounds; ++number) {
        const auto parcel = random.between(1, parcels - 100);
        db.rows("begin");
        db.rows("move_parcel", town(random), code(parcel));
        db.rows("add_event", parcel, number, "moved");
        db.rows(random.one_in(40) ? "rollback" : "commit");
        for (int look = 0; look < 8; ++look) {
            other.rows("parcel_of", random.between(1, parcels));
            other.rows("parcel_by_code", code(random.between(1, parcels)));
        }
        if (number % 10 == 0) other.rows("in_town", town(random));
        if (number % 3 == 0) db.rows("events_of", parcel);
        if (number % 200 == 0) db.rows("checkpoint");
    }
}

void read_blob_in_parts(session& db, std::int64_t parcel) {
    sqlite3_blob* blob = nullptr;
    if (sqlite3_blob_open(db.handle(), "main", "parcel", "label", parcel, 0, &blob) == SQLITE_OK) {
        std::vector<char> part(64);
        const int bytes = sqlite3_blob_bytes(blob);
        for (int at = 0; at + 64 <= bytes; at += 64) sqlite3_blob_read(blob, part.data(), 64, at);
    }
    sqlite3_blob_close(blob);
}

void upkeep(session& db, const std::string& store) {
    db.rows("attach", store);
    db.all("store_table");
    db.all("store_copy");
    expect(db.number("store_join") > 1'000, "rows of both files");
    db.all("detach");
    db.all("add_column");
    db.all("rename_column");
    db.all("drop_column");
    db.all("rename_back");
    db.all("remove_some");
    db.all("vacuum");
    db.all("analyze");
    db.all("check");
    db.all("quick_check");
    expect(db.number("columns") == 5, "five columns");
}

void copy_to_memory(session& db, const work_file& work) {
    session copy(work, ":memory:");
    auto* backup = sqlite3_backup_init(copy.handle(), "main", db.handle(), "main");
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    expect(copy.number("count") == db.number("count"), "the copy is whole");
}

}  // namespace

void files(const task& given) {
    for (const auto* journal : {"wal", "rollback_journal"}) {
        const auto path = given.folder + "/" + journal + ".db";
        session db(given.work, path);
        db.all(journal);
        db.all("normal");
        db.all("schema");
        fill(db, given.random);
        db.all("index_events");
        session other(given.work, path);
        other.all("small_cache");
        const bool has_log = std::string(journal) == "wal";
        daily_work(db, other, given.random, has_log ? 5'000 : 400);
        for (int parcel = 1; parcel < 500; ++parcel) read_blob_in_parts(db, parcel);
        expect(db.number("count") > parcels / 2, "parcels are there");
        copy_to_memory(db, given.work);
        upkeep(db, path + "-store");
        if (has_log) db.all("truncate");
    }
}

}  // namespace train
