// Where imported bytes come from: a plain file, an LZ4 frame file (as apt keeps its package lists)
// or standard input, all read front to back in chunks. Used by the import verb and the demo.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace skiff_cli {

/// Bytes in chunks, read once. One thread at a time.
class byte_source {
  public:
    virtual ~byte_source() = default;

    /// The next chunk; empty at the end. Valid until the next call. Throws std::system_error or
    /// std::runtime_error naming the path.
    virtual std::string_view read() = 0;
    /// Bytes consumed so far of the file as it is stored: for progress.
    [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
    /// Size of the file as it is stored; 0 when not known (a pipe).
    [[nodiscard]] virtual std::uint64_t bytes_total() const = 0;
};

/// Opens a file by its name: ".lz4" is decompressed, "-" is standard input, all else is read as it
/// is. Throws std::system_error or std::runtime_error naming the path.
[[nodiscard]] std::unique_ptr<byte_source> open_source(const std::filesystem::path& path);

}  // namespace skiff_cli
