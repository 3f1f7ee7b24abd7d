// Serialize and deserialize. The bytes live in SQLite's allocator, so that handing them over never
// needs two owners.
#include "core/connection_state.hpp"
#include "core/error_map.hpp"
#include "core/open.hpp"

#include <skiff/connection.hpp>
#include <skiff/image.hpp>

#include <cstring>
#include <new>

namespace skiff {

image::image(std::span<const std::byte> content) : size_(content.size()) {
    if (size_ == 0) return;
    // SQLite may read a little beyond the end of bytes that are no sound database
    // (sqlite.org/c3ref/deserialize.html).
    constexpr std::size_t margin = 20;
    data_ = static_cast<std::byte*>(sqlite3_malloc64(size_ + margin));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memcpy(data_, content.data(), size_);
    std::memset(data_ + size_, 0, margin);
}

image& image::operator=(image&& other) noexcept {
    if (this != &other) {
        sqlite3_free(data_);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

image::~image() {
    sqlite3_free(data_);
}

image connection::serialize(std::string_view schema) {
    auto& state = require();
    const detail::thread_check guard(state);
    const std::string name(schema);
    // From a file, SQLite puts zeros where it cannot read a page, without a word: a backup tells.
    // Inside a write transaction a backup is not possible.
    const char* file = sqlite3_db_filename(state.db, name.c_str());
    const bool has_file = file != nullptr && file[0] != '\0';
    if (has_file && sqlite3_txn_state(state.db, name.c_str()) != SQLITE_TXN_WRITE) {
        auto copy = deserialize(image());
        backup_to(copy, {.pages_per_step = -1,
                         .busy_timeout = state.options.busy_timeout,
                         .source_schema = name});
        return copy.serialize();
    }
    sqlite3_int64 size = 0;
    auto* data = sqlite3_serialize(state.db, name.c_str(), &size, 0);
    if (size < 0) {
        throw_error({.code = errc::generic,
                     .message = "there is no schema of that name, or it cannot be read",
                     .operation = "serialize",
                     .object = name});
    }
    if (data == nullptr && size != 0) {
        detail::throw_object_error(state.db, SQLITE_NOMEM, "serialize", name);
    }
    return image(reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(size));
}

connection connection::deserialize(image content, const open_options& options) {
    auto opened = open_options(options);
    opened.journal = journal_mode::keep;
    auto state = detail::open_connection(":memory:", detail::name_kind::path, opened);
    auto* data = reinterpret_cast<unsigned char*>(std::exchange(content.data_, nullptr));
    const auto size = static_cast<sqlite3_int64>(std::exchange(content.size_, 0));
    unsigned flags = SQLITE_DESERIALIZE_FREEONCLOSE;  // SQLite owns the bytes, also on failure
    flags |= options.mode == open_mode::read_only ? SQLITE_DESERIALIZE_READONLY
                                                  : SQLITE_DESERIALIZE_RESIZEABLE;
    // Bytes 18 and 19 of the header say "WAL": memory has no WAL, so say "rollback" instead.
    constexpr sqlite3_int64 header_bytes = 100;
    if (size >= header_bytes && data[18] == 2 && data[19] == 2) data[18] = data[19] = 1;
    const int code = sqlite3_deserialize(state->db, "main", data, size, size, flags);
    if (code != SQLITE_OK) detail::throw_object_error(state->db, code, "deserialize", "");
    connection made(state.release());
    // Reads the header now: bytes that are no database are an error here and not later.
    static_cast<void>(made.all<std::int64_t>("select count(*) from sqlite_schema"));
    return made;
}

}  // namespace skiff
