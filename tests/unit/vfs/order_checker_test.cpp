// The checker itself: connections that do not sync, and a hand that writes into the log, break each
// of its rules.
#include "support/order_checker.hpp"

#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/os.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace skiff_test;
using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;
namespace os = skiff::vfs::os;

class OrderChecker : public testing::Test {
  protected:
    OrderChecker() { skiff::vfs::io_interceptor::install(&checker); }
    ~OrderChecker() override { skiff::vfs::io_interceptor::install(nullptr); }

    [[nodiscard]] std::unique_ptr<raw_database> open(const std::string& synchronous) const {
        auto db = open_ours(path);
        db->exec("pragma journal_mode=wal; pragma wal_autocheckpoint=0; pragma synchronous=" +
                 synchronous + "; create table t(x); insert into t values(randomblob(9000))");
        return db;
    }

    temp_dir folder = temp_dir::in_memory();
    const std::filesystem::path path = folder / "a.db";
    order_checker checker;
};

TEST_F(OrderChecker, connection_that_syncs_breaks_nothing) {
    const auto db = open("full");
    db->exec("pragma wal_checkpoint(restart); insert into t values(1)");
    checker.acknowledged();

    EXPECT_THAT(checker.take_violations(), IsEmpty());
}

TEST_F(OrderChecker, checkpoint_of_a_log_that_was_not_synced_breaks_i1) {
    open("off")->exec("pragma wal_checkpoint(passive)");

    EXPECT_THAT(checker.take_violations(), Contains(StartsWith("I1")));
}

TEST_F(OrderChecker, restart_before_the_database_is_synced_breaks_i2) {
    open("off")->exec("pragma wal_checkpoint(restart); insert into t values(1)");

    EXPECT_THAT(checker.take_violations(), Contains(StartsWith("I2")));
}

TEST_F(OrderChecker, log_that_is_cut_before_it_was_copied_breaks_i2) {
    const auto db = open("full");
    const auto log = os::open_file((path.string() + "-wal").c_str(), O_RDWR, 0);

    os::truncate_to(log.fd, 0);

    os::close_file(log.fd);
    EXPECT_THAT(checker.take_violations(), Contains(StartsWith("I2")));
}

TEST_F(OrderChecker, frame_that_is_written_again_breaks_i3) {
    const auto db = open("full");
    const auto log = os::open_file((path.string() + "-wal").c_str(), O_RDWR, 0);
    std::array<char, 24> header{};
    os::read_at(log.fd, header.data(), header.size(), 32);

    os::write_at(log.fd, header.data(), header.size(), 32);

    os::close_file(log.fd);
    EXPECT_THAT(checker.take_violations(), Contains(StartsWith("I3")));
}

TEST_F(OrderChecker, commit_that_was_not_synced_breaks_i4) {
    const auto db = open("normal");
    db->exec("insert into t values(1)");

    checker.acknowledged();

    EXPECT_THAT(checker.take_violations(), Contains(StartsWith("I4")));
}

}  // namespace
