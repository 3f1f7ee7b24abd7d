// The checksums of a log, followed by us and by SQLite.
#include "vfs/wal_chain.hpp"

#include "support/raw_sqlite.hpp"
#include "support/temp_dir.hpp"
#include "unit/vfs/two_kinds.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

using namespace skiff_test;
using skiff::vfs::wal_chain;

class WalChain : public testing::TestWithParam<int> {
  protected:
    WalChain() {
        db->exec("pragma page_size=" + std::to_string(GetParam()) +
                 "; pragma journal_mode=wal; pragma wal_autocheckpoint=0; create table t(x);"
                 "insert into t values(randomblob(9000)); insert into t values(randomblob(9000))");
    }
    [[nodiscard]] wal_chain follow() const {
        const int fd = skiff::vfs::os::open_file(log.c_str(), O_RDWR, 0).fd;
        wal_chain chain;
        EXPECT_TRUE(skiff::vfs::follow_chain(fd, chain));
        skiff::vfs::os::close_file(fd);
        return chain;
    }
    /// Frames that SQLite finds in the log.
    [[nodiscard]] std::uint32_t frames() const {
        int count = 0;
        sqlite3_wal_checkpoint_v2(db->handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &count, nullptr);
        return static_cast<std::uint32_t>(count);
    }

    temp_dir folder;
    std::filesystem::path path = folder / "a.db";
    std::string log = path.string() + "-wal";
    std::unique_ptr<raw_database> db = open_stock(path);
};

TEST_P(WalChain, whole_log_ends_where_sqlite_says) {
    const auto chain = follow();

    EXPECT_EQ(chain.page_bytes, GetParam());
    EXPECT_EQ(chain.frames, frames());
    EXPECT_EQ(chain.committed, frames());
}

TEST_P(WalChain, damaged_frame_ends_it) {
    const auto whole = follow();
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    const int frame_bytes = skiff::vfs::frame_header_bytes + GetParam();
    file.seekp(skiff::vfs::wal_header_bytes + 2 * frame_bytes + 100);
    file.put('!').flush();

    const auto chain = follow();

    EXPECT_EQ(chain.salt, whole.salt);
    EXPECT_EQ(chain.frames, 2U);
    EXPECT_LE(chain.committed, 2U);
}

TEST_P(WalChain, frames_of_an_older_log_do_not_count) {
    const auto before = follow();
    db->exec("pragma wal_checkpoint(restart); insert into t values(1)");

    const auto chain = follow();

    EXPECT_NE(chain.salt, before.salt);
    EXPECT_EQ(chain.committed, frames());
    EXPECT_LT(chain.frames, before.frames);
}

TEST_P(WalChain, file_that_is_no_log_has_no_frames) {
    ASSERT_EQ(truncate(log.c_str(), 20), 0);

    const auto chain = follow();

    EXPECT_EQ(chain.frames, 0U);
    EXPECT_EQ(chain.page_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(PageSizes, WalChain, testing::Values(512, 4096, 65536));

}  // namespace
