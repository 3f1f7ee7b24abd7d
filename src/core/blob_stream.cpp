// Incremental blob I/O.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"

#include <skiff/connection.hpp>

#include <climits>

namespace skiff {

namespace {

std::string place(const blob_location& where) {
    return std::string(where.schema) + "." + std::string(where.table) + "." +
           std::string(where.column) + " rowid " + std::to_string(where.rowid);
}

void check_range(std::size_t size, std::size_t offset, std::size_t count) {
    if (offset <= size && count <= size - offset) return;
    throw_error({.code = errc::out_of_range,
                 .message = "bytes " + std::to_string(offset) + " to " +
                            std::to_string(offset + count) + " of a blob of " +
                            std::to_string(size),
                 .operation = "blob",
                 .advice = "a blob stream cannot change the size: update the row first"});
}

}  // namespace

blob_stream connection::open_blob(const blob_location& where, blob_access access) {
    auto& state = require();
    const detail::thread_check guard(state);
    const std::string schema(where.schema);
    const std::string table(where.table);
    const std::string column(where.column);
    if (access == blob_access::read_write) state.check_writable();
    sqlite3_blob* handle = nullptr;
    const int code =
        sqlite3_blob_open(state.db, schema.c_str(), table.c_str(), column.c_str(), where.rowid,
                          access == blob_access::read_write ? 1 : 0, &handle);
    if (code != SQLITE_OK) {
        detail::throw_object_error(state.db, code, "open_blob", place(where));
    }
    ++state.open_blobs;
    return {handle, state.back_link};
}

blob_stream& blob_stream::operator=(blob_stream&& other) noexcept {
    if (this != &other) {
        end();
        handle_ = std::exchange(other.handle_, nullptr);
        owner_ = std::move(other.owner_);
    }
    return *this;
}

blob_stream::~blob_stream() {
    end();
}

sqlite3_blob* blob_stream::require() const {
    if (handle_ == nullptr) detail::throw_closed("the blob stream");
    return handle_;
}

void blob_stream::fail(int code, std::string_view operation) const {
    auto* connection = owner_->connection;
    auto details =
        detail::details_of(connection != nullptr ? connection->db : nullptr, code, operation);
    if (details.code == errc::abort) {
        details.message = "the row of the open blob was changed or deleted";
        details.advice = "open the blob again";
    }
    throw_error(std::move(details));
}

/// Closes. Outside a transaction this is where SQLite commits what was written.
int blob_stream::end() noexcept {
    if (handle_ == nullptr) return SQLITE_OK;
    if (owner_->connection != nullptr) --owner_->connection->open_blobs;
    const int code = sqlite3_blob_close(std::exchange(handle_, nullptr));
    if (detail::is_failed_sync(code) && owner_->connection != nullptr) {
        owner_->connection->poison(code);
    }
    return code;
}

std::size_t blob_stream::size() const {
    return static_cast<std::size_t>(sqlite3_blob_bytes(require()));
}

void blob_stream::read(std::span<std::byte> target, std::size_t offset) const {
    check_range(size(), offset, target.size());
    const int code = sqlite3_blob_read(handle_, target.data(), static_cast<int>(target.size()),
                                       static_cast<int>(offset));
    if (code != SQLITE_OK) fail(code, "read blob");
}

void blob_stream::write(std::span<const std::byte> source, std::size_t offset) {
    check_range(size(), offset, source.size());
    const int code = sqlite3_blob_write(handle_, source.data(), static_cast<int>(source.size()),
                                        static_cast<int>(offset));
    if (code != SQLITE_OK) fail(code, "write blob");
}

void blob_stream::reopen(std::int64_t rowid) {
    const int code = sqlite3_blob_reopen(require(), rowid);
    if (code != SQLITE_OK) fail(code, "reopen blob");
}

void blob_stream::close() {
    if (handle_ == nullptr) return;
    const int code = end();
    if (detail::is_failed_sync(code)) {
        auto details = detail::details_of(nullptr, code, "close blob");
        detail::make_outcome_unknown(details, "the commit of the blob");
        throw_error(std::move(details));
    }
    if (code != SQLITE_OK) fail(code, "close blob");
}

}  // namespace skiff
