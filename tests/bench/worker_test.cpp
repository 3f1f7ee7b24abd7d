// Every driver answers rightly, and one that does not is refused.
#include "harness/worker.hpp"

#include "drivers/c_api.hpp"
#include "harness/runner.hpp"
#include "harness/sync_delay.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace skiff_bench {
namespace {

using testing::HasSubstr;

constexpr double moment_s = 0.03;
constexpr const char* mixed = "8 threads read as above while 8 others write";

nlohmann::json run(const driver_entry& driver, const char* row) {
    const skiff_test::temp_dir folder;
    return run_worker({find_row(row), &driver, folder.path(), moment_s});
}

std::string failure_of_run(const driver_entry& driver, const char* row) {
    try {
        static_cast<void>(run(driver, row));
        return "none";
    } catch (const driver_error& refused) {
        return refused.what();
    }
}

class EveryDriver : public testing::TestWithParam<const char*> {};

TEST_P(EveryDriver, reads_and_writes_are_right) {
    const auto answer = run(*find_driver(GetParam()), mixed);

    for (const auto& each : answer.at("metrics")) {
        if (each["unit"] == "1/s") {
            EXPECT_GT(each["value"], 0) << each;
        }
    }
}

TEST_P(EveryDriver, durable_write_is_right) {
    const auto answer =
        run(*find_driver(GetParam()), "4 threads, each inserts one row, synchronous=FULL");

    EXPECT_GT(answer.at("metrics")[0]["value"], 0);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryDriver,
                         testing::Values("c",
                                         "c-mmap",
                                         "c-engine",
                                         "c-vfs",
                                         "c-vfs-mmap",
                                         "skiff-connection",
                                         "skiff-database",
                                         "limit"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             for (char& letter : name) letter = letter == '-' ? '_' : letter;
                             return name;
                         });

/// Driver `c` with something wrong.
class wrong_driver : public driver {
  public:
    explicit wrong_driver(const profile& how) : right(open_c(how)) {}
    std::unique_ptr<session> open_session() override { return right->open_session(); }
    std::map<std::string, std::string> settings() override { return right->settings(); }

    std::unique_ptr<driver> right;
};

/// Reads another row than it was asked for.
class wrong_reader final : public wrong_driver {
  public:
    using wrong_driver::wrong_driver;
    class reader final : public session {
      public:
        explicit reader(std::unique_ptr<session> inner) : right(std::move(inner)) {}
        bool read(std::int64_t) override { return is_value_of(2, value_of(1)); }
        void insert(std::string_view value) override { right->insert(value); }
        std::unique_ptr<session> right;
    };
    std::unique_ptr<session> open_session() override {
        return std::make_unique<reader>(right->open_session());
    }
};

/// Says that it wrote and does not.
class wrong_writer final : public wrong_driver {
  public:
    using wrong_driver::wrong_driver;
    class writer final : public session {
      public:
        bool read(std::int64_t) override { return true; }
        void insert(std::string_view) override {}
    };
    std::unique_ptr<session> open_session() override { return std::make_unique<writer>(); }
};

/// Does not sync what the row wants synced.
class wrong_settings final : public wrong_driver {
  public:
    using wrong_driver::wrong_driver;
    std::map<std::string, std::string> settings() override {
        auto found = right->settings();
        found["synchronous"] = "0";
        return found;
    }
};

template <class Driver>
driver_entry entry_of() {
    return {
        "wrong",
        "",
        "plain",
        [](const profile& how) -> std::unique_ptr<driver> { return std::make_unique<Driver>(how); },
        {}};
}

TEST(Refused, driver_that_reads_wrongly) {
    EXPECT_THAT(failure_of_run(entry_of<wrong_reader>(), mixed), HasSubstr("reads were wrong"));
}

TEST(Refused, driver_that_loses_writes) {
    EXPECT_THAT(failure_of_run(entry_of<wrong_writer>(), mixed), HasSubstr("rows instead of"));
}

TEST(Refused, driver_with_other_settings) {
    EXPECT_THAT(failure_of_run(entry_of<wrong_settings>(), mixed),
                HasSubstr("synchronous is 0 instead of"));
}

TEST(Refused, durable_rows_in_memory) {
    if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no file system in memory";
    const skiff_test::temp_dir folder;
    run_options options;
    options.rows = {"1 thread, each inserts one row, synchronous=FULL"};
    options.folder = "/dev/shm";
    options.output = folder / "a.jsonl";

    EXPECT_THROW(run_benchmarks(options), std::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(options.output));
}

TEST(Refused, names_of_nothing) {
    const skiff_test::temp_dir folder;
    run_options options;
    options.output = folder / "a.jsonl";
    options.rows = {"no such row"};
    EXPECT_THROW(run_benchmarks(options), std::invalid_argument);
    options.rows = {};
    options.drivers = {"no-such-driver"};
    EXPECT_THROW(run_benchmarks(options), std::invalid_argument);
}

TEST(SyncDelay, is_added_to_every_sync) {
    using namespace std::chrono_literals;
    EXPECT_EQ(parse_delay("800us"), 800us);
    EXPECT_EQ(parse_delay("3ms"), 3ms);
    EXPECT_THROW(static_cast<void>(parse_delay("3 s")), std::invalid_argument);
    const skiff_test::temp_dir folder;
    const auto& c = *find_driver("c");
    set_sync_delay(10ms);
    const auto slow = run(c, "1 thread, each inserts one row, synchronous=FULL");
    set_sync_delay(0us);

    constexpr double at_most = 100;  // commits a second, with 10 ms for each
    EXPECT_LE(slow.at("metrics")[0]["value"], at_most);
}

}  // namespace
}  // namespace skiff_bench
