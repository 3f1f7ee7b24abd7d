// Follows the checksums of a log, as recovery does: each frame's covers all frames before it.
#pragma once

#include "vfs/wal_format.hpp"

namespace skiff::vfs {

struct wal_chain {
    wal_salt salt{};
    int page_bytes = 0;
    std::uint32_t frames = 0;     ///< that are whole, from the first on
    std::uint32_t committed = 0;  ///< the last of them that ends a transaction
};

/// Reads the open log; all zeros when it has no valid header. False when it cannot be read, or
/// without memory.
[[nodiscard]] bool follow_chain(int fd, wal_chain& chain) noexcept;

}  // namespace skiff::vfs
