// T21: too few descriptors, folders and media that cannot be written, disks that are full when the
// index grows, pages of 64 KiB, and a log beyond four gigabytes.
#include "support/child_process.hpp"
#include "support/full_disk.hpp"
#include "support/raw_sqlite.hpp"
#include "support/seed.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/registry.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace skiff_test;
namespace fs = std::filesystem;

/// The code of opening and reading through a VFS.
int code_of_reading(const fs::path& path, const char* vfs) {
    sqlite3* db = nullptr;
    skiff::vfs::register_vfs();
    int code = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, vfs);
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(db, 1);
        code = sqlite3_exec(db, "select count(*) from t", nullptr, nullptr, nullptr);
    }
    sqlite3_close(db);
    return code;
}

TEST(BadSurroundings, t21_too_few_descriptors_are_typed_errors_and_pass) {
    const temp_dir folder;
    const auto path = folder / "a.db";
    open_ours(path)->exec("pragma journal_mode=wal; create table t(x); insert into t values(1)");

    const auto told = run_in_child([&]() -> std::string {
        rlimit usual{};
        getrlimit(RLIMIT_NOFILE, &usual);
        std::string wrong;
        const int open = open_descriptors();
        int succeeded = 0;
        int failed = 0;
        for (rlim_t limit = 4; limit < static_cast<rlim_t>(open) + 16; ++limit) {
            const rlimit few{limit, usual.rlim_max};
            setrlimit(RLIMIT_NOFILE, &few);
            const int code = code_of_reading(path, "skiff");
            setrlimit(RLIMIT_NOFILE, &usual);
            ++(code == SQLITE_OK ? succeeded : failed);
            const int kind = code & 0xff;
            if (kind != SQLITE_OK && kind != SQLITE_CANTOPEN && kind != SQLITE_IOERR) {
                wrong += "code " + std::to_string(code) + "; ";
            }
            if (open_descriptors() != open) wrong += "leaked with " + std::to_string(limit) + "; ";
        }
        if (succeeded == 0 || failed == 0) wrong += "the limit was never or always met";
        return wrong;
    });

    EXPECT_EQ(told.answer, "");
    EXPECT_EQ(number_in(path, "select count(*) from t"), 1);
}

TEST(BadSurroundings, t21_database_in_a_folder_that_cannot_be_written_is_as_for_stock) {
    const temp_dir folder;
    const auto inner = folder / "fixed";
    fs::create_directory(inner);
    const auto path = inner / "a.db";
    open_ours(path)->exec("pragma journal_mode=wal; create table t(x)");
    fs::permissions(folder.path(), fs::perms(0755));
    fs::permissions(path, fs::perms(0666));
    fs::permissions(inner, fs::perms(0555));

    const auto told = run_in_child([&]() -> std::string {
        if (!drop_privileges() || access(path.c_str(), R_OK) != 0) return "unreachable";
        const int ours = code_of_reading(path, "skiff");
        const int stocks = code_of_reading(path, "unix");
        return ours == stocks ? "same" : std::to_string(ours) + " and " + std::to_string(stocks);
    });

    if (told.answer == "unreachable") GTEST_SKIP() << "a folder above is closed to others";
    EXPECT_EQ(told.answer, "same");
}

TEST(BadSurroundings, t21_database_on_media_that_cannot_be_written_is_as_for_stock) {
    const temp_dir folder;
    const auto told = run_in_child([&]() -> std::string {
        const small_disk disk(folder / "disk", 1 << 20);
        if (!disk.problem().empty()) return "skip: " + disk.problem();
        open_ours(disk / "wal.db")->exec("pragma journal_mode=wal; create table t(x)");
        open_ours(disk / "plain.db")->exec("create table t(x)");
        const auto place = folder / "disk";
        if (mount("tmpfs", place.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
            return "skip: remount";
        }
        std::string differences;
        for (const auto* name : {"wal.db", "plain.db"}) {
            const int ours = code_of_reading(disk / name, "skiff");
            const int stocks = code_of_reading(disk / name, "unix");
            if (ours != stocks)
                differences += std::string(name) + " " + std::to_string(ours) + "; ";
        }
        return differences;
    });

    if (told.answer.starts_with("skip")) GTEST_SKIP() << told.answer;
    EXPECT_EQ(told.answer, "");
}

/// The index has a part for each 4,096 frames: without space for the next one there is an error,
/// and no signal at its first use.
TEST(BadSurroundings, t21_index_that_cannot_grow_is_an_error_and_no_signal) {
    const temp_dir folder;
    const auto told = run_in_child([&]() -> std::string {
        small_disk disk(folder / "disk", std::size_t{8} << 20);
        if (!disk.problem().empty()) return "skip: " + disk.problem();
        const auto path = disk / "a.db";
        const auto db = open_ours(path);
        db->exec(
            "pragma page_size=512; pragma journal_mode=wal; pragma wal_autocheckpoint=0;"
            "pragma synchronous=normal; create table t(n integer primary key, pad)");
        constexpr const char* insert =
            "insert into t select coalesce(max(n),0)+1, randomblob(4000) from t";
        std::string seen;
        for (const std::size_t leave : {20'000U, 40'000U, 60'000U}) {
            while (fs::file_size(path.string() + "-wal") % (4096 * 536) < 4000 * 536) {
                db->exec(insert);
            }
            disk.fill(leave);
            int code = SQLITE_OK;
            for (int row = 0; row < 40 && code == SQLITE_OK; ++row) code = db->try_exec(insert);
            if ((code & 0xff) != SQLITE_FULL && (code & 0xff) != SQLITE_IOERR) {
                seen += "code " + std::to_string(code) + "; ";
            }
            disk.release();
            db->exec(insert);
        }
        const auto rows = db->number("select count(*) from t");
        if (rows != db->number("select max(n) from t")) seen += "rows are missing; ";
        const auto integrity = db->text("pragma integrity_check");
        return integrity == "ok" ? seen : integrity;
    });

    if (told.answer.starts_with("skip")) GTEST_SKIP() << told.answer;
    EXPECT_EQ(told.signal, 0);
    EXPECT_EQ(told.answer, "");
}

TEST(BadSurroundings, t21_pages_of_64_kib_are_written_read_and_checkpointed) {
    const temp_dir folder = temp_dir::in_memory();
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec(
        "pragma page_size=65536; pragma journal_mode=wal; pragma mmap_size=1000000000;"
        "create table t(n integer primary key, pad)");
    for (int round = 0; round < 30; ++round) {
        db->exec("insert into t select coalesce(max(n),0)+1, randomblob(200000) from t");
        if (round % 7 == 6) db->exec("pragma wal_checkpoint(truncate)");
    }

    EXPECT_EQ(number_in(path, "select count(*) from t"), 30);
    EXPECT_EQ(number_in(path, "pragma page_size"), 65536);
    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_EQ(db->number("select sum(length(pad)) from t"), 30 * 200000);
}

/// Nightly: SKIFF_BIG=1 and 14 GB of space.
TEST(BadSurroundings, t25_log_beyond_four_gigabytes_is_written_read_and_checkpointed) {
    if (count_from("SKIFF_BIG", 0) == 0) GTEST_SKIP() << "SKIFF_BIG is not set";
    const temp_dir folder;
    const auto path = folder / "a.db";
    const auto db = open_ours(path);
    db->exec(
        "pragma page_size=65536; pragma journal_mode=wal; pragma wal_autocheckpoint=0;"
        "pragma synchronous=normal; create table t(n integer primary key, pad)");
    sqlite3_file_control(db->handle(), "main", skiff::vfs::fcntl_stop_checkpointing, nullptr);
    const auto reader = open_ours(path);
    reader->exec("begin; select * from t");
    constexpr std::uintmax_t wanted = (std::uintmax_t{4} << 30) + (64 << 20);
    while (fs::file_size(path.string() + "-wal") < wanted) {
        db->exec("insert into t select coalesce(max(n),0)+1, zeroblob(40000000) from t");
    }
    const auto rows = db->number("select max(n) from t");
    db->exec("update t set pad = n where n = " + std::to_string(rows));

    EXPECT_EQ(reader->number("select count(*) from t"), 0);
    reader->exec("commit");
    EXPECT_EQ(reader->number("select count(*) from t"), rows);
    EXPECT_EQ(reader->number("select pad from t where n = " + std::to_string(rows)), rows);
    EXPECT_EQ(db->text("pragma wal_checkpoint(truncate)"), "0");
    EXPECT_EQ(integrity_of(path), "ok");
}

}  // namespace
