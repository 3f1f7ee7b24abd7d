// Which VFS would serve a file: the same questions that Skiff's own asks before it takes one
// (docs/internals/vfs.md), with words for the answer.
#include "stats/database_look.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace skiff_cli {

namespace {

// Not in linux/magic.h.
constexpr unsigned long xfs_magic = 0x58465342;
constexpr unsigned long f2fs_magic = 0xF2F52010;
constexpr unsigned long cifs_magic = 0xFF534D42;
constexpr unsigned long smb2_magic = 0xFE534D42;
constexpr unsigned long fuse_magic = 0x65735546;

std::string why_not_on(unsigned long file_system) {
    switch (file_system) {
        case EXT4_SUPER_MAGIC:
        case BTRFS_SUPER_MAGIC:
        case TMPFS_MAGIC:
        case xfs_magic:
        case f2fs_magic:
            return "";
        case NFS_SUPER_MAGIC:
        case SMB_SUPER_MAGIC:
        case CEPH_SUPER_MAGIC:
        case AFS_SUPER_MAGIC:
        case V9FS_MAGIC:
        case cifs_magic:
        case smb2_magic:
            return "the file is on a network file system";
        case fuse_magic:
            return "the file is on a FUSE file system";
        default:
            return "the file is on a file system that Skiff's VFS does not know";
    }
}

bool may_write(const std::string& path) {
    return ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

std::string why_not_skiff(const std::filesystem::path& path) {
    struct statfs system{};
    if (::statfs(path.c_str(), &system) != 0) return "its file system cannot be asked";
    const auto kind = static_cast<unsigned long>(system.f_type) & 0xffffffffUL;
    if (auto reason = why_not_on(kind); !reason.empty()) return reason;
    if (!may_write(path.native())) return "this program may not write the file";
    const auto shm = path.native() + "-shm";
    const bool fixed = ::faccessat(AT_FDCWD, shm.c_str(), W_OK, AT_EACCESS) != 0 &&
                       (errno == EACCES || errno == EROFS);
    return fixed ? "this program may not write the -shm file" : "";
}

}  // namespace skiff_cli
