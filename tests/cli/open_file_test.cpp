// How the verbs open a file, where what matters is what this program may do there.
#include "open_file.hpp"

#include "support/failure_of.hpp"
#include "support/temp_dir.hpp"

#include <skiff/connection.hpp>
#include <skiff/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/fsuid.h>
#include <system_error>

namespace skiff_test {
namespace {

/// For this thread and as long as it lives, a folder that may be read but not be written: root may
/// write anywhere, so root looks at it as nobody.
class unwritable_folder {
  public:
    explicit unwritable_folder(const std::filesystem::path& folder) : folder_(folder) {
        using std::filesystem::perms;
        std::filesystem::permissions(folder_, perms(0555));
        user_before_ = ::setfsuid(65534);
    }
    unwritable_folder(const unwritable_folder&) = delete;
    unwritable_folder& operator=(const unwritable_folder&) = delete;
    ~unwritable_folder() {
        ::setfsuid(static_cast<uid_t>(user_before_));
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    }

  private:
    const std::filesystem::path& folder_;
    int user_before_;
};

/// Not so where a folder above is root's alone.
bool can_reach(const std::filesystem::path& path) {
    std::error_code denied;
    return std::filesystem::exists(path, denied);
}

TEST(OpenFile, wal_file_in_an_unwritable_folder_says_why_it_cannot_be_read) {
    const temp_dir folder;
    const auto path = folder.path() / "a.db";
    skiff::connection::open(path).exec("create table t(x)");
    const unwritable_folder shut(folder.path());
    if (!can_reach(path)) GTEST_SKIP() << "a folder above is closed to others";

    const auto failure = failure_of(
        [&] { return skiff_cli::open_file({.path = path}, skiff::open_mode::read_only); });

    EXPECT_EQ(failure.code(), skiff::errc::cannot_open);
    EXPECT_THAT(std::string(failure.message()), testing::HasSubstr("is in WAL mode"));
}

TEST(OpenFile, rollback_file_in_an_unwritable_folder_is_read) {
    const temp_dir folder;
    const auto path = folder.path() / "a.db";
    skiff::connection::open(path, {.journal = skiff::journal_mode::rollback})
        .exec("create table t(x)");
    const unwritable_folder shut(folder.path());
    if (!can_reach(path)) GTEST_SKIP() << "a folder above is closed to others";

    auto db = skiff_cli::open_file({.path = path}, skiff::open_mode::read_only);

    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
}

}  // namespace
}  // namespace skiff_test
