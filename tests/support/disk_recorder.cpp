// Files are told apart by the name that the system gives for their descriptor.
#include "support/disk_recorder.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace skiff_test {

namespace {

/// A disk writes whole sectors.
constexpr std::size_t sector_bytes = 512;

disk_recorder::bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(in)), {});
    const auto* begin = reinterpret_cast<const std::byte*>(content.data());
    return {begin, begin + content.size()};
}

void write_file(const std::filesystem::path& path, const disk_recorder::bytes& content) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
}

enum class place { database, log, elsewhere };

place place_of(int fd, const std::filesystem::path& database) {
    std::error_code gone;
    const auto name =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), gone).string();
    if (name == database.string()) return place::database;
    return name == database.string() + "-wal" ? place::log : place::elsewhere;
}

}  // namespace

disk_recorder::disk_recorder(std::filesystem::path database)
    : database_(std::move(database)),
      database_before_(read_file(database_)),
      log_before_(read_file(database_.string() + "-wal")) {
    install(this);
}

disk_recorder::~disk_recorder() {
    install(nullptr);
}

void disk_recorder::stop() {
    install(nullptr);
}

void disk_recorder::note(std::int64_t acknowledged) {
    const std::lock_guard lock(guard_);
    events_.push_back({.what = kind::acknowledged, .at = acknowledged});
}

int disk_recorder::before(const skiff::vfs::io_event& event) noexcept {
    if (event.what != skiff::vfs::io_event::kind::sync) return 0;
    const std::lock_guard lock(guard_);
    syncing_.emplace_back(event.fd, events_.size());
    events_.push_back({.what = kind::sync_begin});
    return 0;
}

void disk_recorder::after(const skiff::vfs::io_event& event, int error) noexcept {
    using wanted = skiff::vfs::io_event::kind;
    const auto where = place_of(event.fd, database_);
    if (error != 0 || where == place::elsewhere) return;
    const std::lock_guard lock(guard_);
    recorded change{.what = kind::write, .of_log = where == place::log, .at = event.offset};
    if (event.what == wanted::write) {
        const auto* begin = static_cast<const std::byte*>(event.content);
        change.content.assign(begin, begin + event.bytes);
    } else if (event.what == wanted::truncate) {
        change.what = kind::truncate;
    } else {
        const auto began =
            std::ranges::find(syncing_, event.fd, &std::pair<int, std::size_t>::first);
        change.what = kind::sync_end;
        change.began = began->second;
        syncing_.erase(began);
    }
    events_.push_back(std::move(change));
}

std::size_t disk_recorder::covered_until(std::size_t cut, bool of_log) const {
    std::size_t covered = 0;
    for (std::size_t at = 0; at < cut; ++at) {
        const auto& each = events_[at];
        if (each.what == kind::sync_end && each.of_log == of_log) {
            covered = std::max(covered, each.began);
        }
    }
    return covered;
}

void disk_recorder::apply(bytes& file, const recorded& change) {
    if (change.what == kind::truncate) {
        file.resize(static_cast<std::size_t>(change.at));
    } else {
        apply_part(file, change, 0, change.content.size());
    }
}

void disk_recorder::apply_part(bytes& file,
                               const recorded& change,
                               std::size_t from,
                               std::size_t count) {
    const auto offset = static_cast<std::size_t>(change.at) + from;
    if (file.size() < offset + count) file.resize(offset + count);
    std::copy_n(change.content.begin() + static_cast<std::ptrdiff_t>(from), count,
                file.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// Of the sectors some reached the disk: any, those of a range, or those outside of one.
void disk_recorder::apply_torn(bytes& file, const recorded& change, random_numbers& random) {
    const int bytes = static_cast<int>(change.content.size());
    const auto range = std::minmax({random.below(bytes + 1), random.below(bytes + 1)});
    const int kind_of_tear = random.below(3);
    const auto reaches_disk = [&](std::size_t from) {
        const int at = static_cast<int>(from);
        if (kind_of_tear == 0) return random.once_in(2);
        return (at >= range.first && at < range.second) == (kind_of_tear == 1);
    };
    const auto start = static_cast<std::size_t>(change.at);
    for (std::size_t from = 0; from < change.content.size();) {
        const auto to_sector_end = sector_bytes - (start + from) % sector_bytes;
        const auto count = std::min(to_sector_end, change.content.size() - from);
        if (reaches_disk(from)) apply_part(file, change, from, count);
        from += count;
    }
}

disk_recorder::files disk_recorder::cut_at(std::size_t event, random_numbers& random) const {
    files left{.database = database_before_, .log = log_before_, .acknowledged = {}};
    const std::size_t covered[] = {covered_until(event, false), covered_until(event, true)};
    // Some cuts lose all that is not certain, some nothing, most a part.
    const auto mood = random.below(4);
    for (std::size_t at = 0; at < event; ++at) {
        const auto& each = events_[at];
        if (each.what == kind::acknowledged) left.acknowledged.push_back(each.at);
        if (each.what != kind::write && each.what != kind::truncate) continue;
        auto& file = each.of_log ? left.log : left.database;
        if (at >= covered[each.of_log ? 1 : 0]) {
            const int fate = mood == 0 ? 0 : mood == 1 ? 2 : random.below(3);
            if (fate == 0) continue;
            if (fate == 1 && each.what == kind::write) {
                apply_torn(file, each, random);
                continue;
            }
        }
        apply(file, each);
    }
    return left;
}

std::filesystem::path put_into(const std::filesystem::path& folder,
                               const disk_recorder::files& cut) {
    const auto path = folder / "cut.db";
    std::filesystem::remove(path.string() + "-shm");
    write_file(path, cut.database);
    write_file(path.string() + "-wal", cut.log);
    return path;
}

}  // namespace skiff_test
