// Removing is best effort: a scratch file that stays is removed by the next run.
#include "demo/scratch_files.hpp"

#include <string>
#include <system_error>

namespace skiff_cli {

void remove_database(const std::filesystem::path& path) noexcept {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        std::filesystem::remove(std::filesystem::path(path.string() + suffix), ignored);
    }
}

}  // namespace skiff_cli
