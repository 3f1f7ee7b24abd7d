// The window on a file: what is found in it, and what is not any more once the file gets shorter.
#include "vfs/file_map.hpp"

#include "support/temp_dir.hpp"
#include "vfs/os.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace {

using namespace skiff_test;
using skiff::vfs::file_map;
namespace os = skiff::vfs::os;

class FileMap : public testing::Test {
  protected:
    FileMap() {
        os::truncate_to(fd, file_bytes);
        map.open(fd, window_bytes);
    }
    ~FileMap() override { os::close_file(fd); }

    static constexpr std::size_t window_bytes = std::size_t{1} << 26;
    static constexpr std::int64_t file_bytes = 10000;
    temp_dir folder;
    int fd = os::open_file((folder / "file").c_str(), O_RDWR | O_CREAT, 0600).fd;
    file_map map;
};

TEST_F(FileMap, nothing_is_found_before_the_size_is_known) {
    EXPECT_EQ(map.find(0, 1), nullptr);

    EXPECT_NE(map.find_again(fd, 0, file_bytes), nullptr);

    EXPECT_NE(map.find(file_bytes - 1, 1), nullptr);
    EXPECT_EQ(map.find(file_bytes - 1, 2), nullptr);
}

TEST_F(FileMap, what_lies_beyond_a_noted_end_is_not_found) {
    map.note_size(file_bytes);

    map.note_end(5000);

    EXPECT_NE(map.find(0, 5000), nullptr);
    EXPECT_EQ(map.find(0, 5001), nullptr);
}

/// SQLite's ioerr2-7.404.3: no look at the size, which could fail unnoticed, is needed for that.
TEST_F(FileMap, noted_end_beyond_what_is_known_makes_nothing_readable) {
    map.note_size(5000);

    map.note_end(file_bytes);

    EXPECT_EQ(map.find(0, 5001), nullptr);
}

}  // namespace
