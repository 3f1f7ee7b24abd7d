// One blob or text value of a row, read and written in place, without loading it whole.
#pragma once

#include <skiff/error.hpp>
#include <skiff/fwd.hpp>
#include <skiff/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace skiff {

namespace detail {
struct connection_link;
}

/// Which value to open.
struct blob_location {
    std::string_view table;
    std::string_view column;
    std::int64_t rowid = 0;
    std::string_view schema = "main";
};

enum class blob_access { read, read_write };

/// An open blob. Its size is fixed: to change it, update the row (skiff::zero_blob makes room).
/// Holds a read or write transaction open until closed. When the row changes otherwise, calls throw
/// errc::abort. Move-only. One thread at a time, together with its connection.
class blob_stream {
  public:
    blob_stream(blob_stream&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), owner_(std::move(other.owner_)) {}
    blob_stream& operator=(blob_stream&& other) noexcept;
    ~blob_stream();

    /// Size in bytes.
    [[nodiscard]] std::size_t size() const;
    /// Fills `target` from `offset`; throws errc::out_of_range beyond the end.
    void read(std::span<std::byte> target, std::size_t offset) const;
    /// Writes `source` at `offset`; throws errc::out_of_range beyond the end.
    void write(std::span<const std::byte> source, std::size_t offset);
    /// Moves to the same column of another row, cheaper than opening again.
    void reopen(std::int64_t rowid);
    /// Closes and reports errors (a commit that failed). Allowed any number of times.
    void close();
    [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }
    [[nodiscard]] sqlite3_blob* native_handle() const noexcept { return handle_; }

  private:
    friend class connection;
    blob_stream(sqlite3_blob* handle, std::shared_ptr<detail::connection_link> owner) noexcept
        : handle_(handle), owner_(std::move(owner)) {}
    [[nodiscard]] sqlite3_blob* require() const;
    [[noreturn]] void fail(int code, std::string_view operation) const;
    int end() noexcept;

    sqlite3_blob* handle_ = nullptr;
    std::shared_ptr<detail::connection_link> owner_;  ///< knows whether the connection is alive
};

}  // namespace skiff
