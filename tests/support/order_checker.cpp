// Files are read through descriptors that the process has open: closing one more would drop the
// traditional locks that SQLite's own VFS may have on the file.
#include "support/order_checker.hpp"

#include "vfs/wal_format.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <string_view>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skiff_test {

namespace {

using skiff::vfs::big_endian_at;
using skiff::vfs::frame_header_bytes;
using skiff::vfs::io_event;
using skiff::vfs::pages_after;
using skiff::vfs::salt_of_frame;
using skiff::vfs::wal_header_bytes;
using skiff::vfs::wal_salt;

constexpr std::size_t frame_extra = frame_header_bytes;
const pid_t first_process = ::getpid();

/// When this thread's running sync began, and when its last commit was in the log.
thread_local std::uint64_t sync_began = 0;
thread_local std::uint64_t last_commit = 0;
thread_local std::string last_commit_path;

std::string name_of(int fd) {
    std::error_code gone;
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), gone).string();
}

struct place {
    std::string database;
    bool is_log = false;
};

/// Empty for other files.
place place_of(int fd) {
    const auto name = name_of(fd);
    constexpr std::string_view log = "-wal";
    if (name.ends_with(log)) return {name.substr(0, name.size() - log.size()), true};
    const bool other = name.ends_with("-shm") || name.ends_with("(deleted)") ||
                       name.ends_with("-journal") || name.ends_with("-unsynced");
    return {other ? std::string() : name, false};
}

/// A descriptor that this process has of the file, or -1.
int descriptor_of(const std::string& path) {
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
        const int fd = std::stoi(each.path().filename().string());
        if (name_of(fd) == path) return fd;
    }
    return -1;
}

/// What the wal-index tells others of the log.
struct published {
    std::uint32_t frames = 0;
    wal_salt salt{};
};

/// From whoever in this process has it mapped; nothing when nobody has.
published published_in(const std::string& path) {
    std::ifstream maps("/proc/self/maps");
    const std::string wanted = " " + path + "-shm";
    published found;
    for (std::string line; std::getline(maps, line);) {
        if (!line.ends_with(wanted) || line.find(" 00000000 ") == std::string::npos) continue;
        std::array<std::byte, 48> header{};
        iovec here{header.data(), header.size()};
        const auto address = std::stoull(line, nullptr, 16);
        iovec there{reinterpret_cast<void*>(address), header.size()};  // may be gone: no fault then
        if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) != sizeof(header)) return {};
        std::memcpy(&found.frames, header.data() + 16, sizeof(found.frames));
        std::memcpy(found.salt.data(), header.data() + 32, found.salt.size());
        return found;
    }
    return found;
}

std::size_t hash_of(const void* content, std::size_t bytes) {
    return std::hash<std::string_view>()({static_cast<const char*>(content), bytes});
}

/// The running checksum of a log whose words are little-endian, as on every machine that we run on.
class chain {
  public:
    void add(const char* bytes, std::size_t count) {
        for (std::size_t at = 0; at < count; at += 8) {
            std::uint32_t word[2];
            std::memcpy(word, bytes + at, sizeof(word));
            first_ += word[0] + second_;
            second_ += word[1] + first_;
        }
    }
    [[nodiscard]] bool is_at(const char* place) const {
        return big_endian_at(place, 0) == first_ && big_endian_at(place, 4) == second_;
    }

  private:
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;
};

struct committed_log {
    std::size_t page_bytes = 0;
    std::uint32_t database_pages = 0;
    std::uint32_t frames = 0;                    ///< up to the last one that ends a transaction
    std::map<std::uint32_t, std::string> pages;  ///< the newest committed content of each
};

/// Reads what a recovery would take from the log; nothing from one of another byte order.
committed_log committed_in(int fd) {
    committed_log found;
    std::array<char, wal_header_bytes> header{};
    const auto got = ::pread(fd, header.data(), header.size(), 0);
    if (got != std::ssize(header) || big_endian_at(header.data(), 0) != 0x377f0682) return found;
    found.page_bytes = big_endian_at(header.data(), 8);
    chain sum;
    sum.add(header.data(), 24);
    std::string frame(frame_extra + found.page_bytes, '\0');
    std::map<std::uint32_t, std::string> open;
    std::uint32_t number = 1;
    for (std::int64_t at = wal_header_bytes;; at += std::ssize(frame), ++number) {
        if (::pread(fd, frame.data(), frame.size(), at) != std::ssize(frame)) return found;
        sum.add(frame.data(), 8);
        sum.add(frame.data() + frame_extra, found.page_bytes);
        const bool is_next = std::memcmp(frame.data() + 8, header.data() + 16, 8) == 0;
        if (!is_next || !sum.is_at(frame.data() + 16)) return found;
        open[big_endian_at(frame.data(), 0)] = frame.substr(frame_extra);
        if (pages_after(frame.data()) == 0) continue;
        found.database_pages = pages_after(frame.data());
        found.frames = number;
        for (auto& [page, content] : open) found.pages[page] = std::move(content);
        open.clear();
    }
}

}  // namespace

void order_checker::report(const std::string& what) {
    std::fprintf(stderr, "order checker: %s\n", what.c_str());
    if (::getpid() != first_process) std::abort();
    violations_.push_back(what);
}

void order_checker::prepare_fork() {
    guard_.lock();
    has_forked_ = true;
}

std::vector<std::string> order_checker::take_violations() {
    const std::lock_guard lock(guard_);
    return std::exchange(violations_, {});
}

int order_checker::before(const io_event& event) noexcept {
    if (event.what == io_event::kind::sync_directory) return 0;
    const std::lock_guard lock(guard_);
    const auto where = place_of(event.fd);
    if (where.database.empty()) return 0;
    auto& state = databases_[where.database];
    const bool writes = event.what == io_event::kind::write;
    if (event.what == io_event::kind::sync) sync_began = ++events_;
    if (where.is_log) {
        const bool restarts = event.what != io_event::kind::sync && event.offset == 0;
        if (restarts) check_restart(where.database, state, event.fd);
        if (writes && !restarts) check_frames(where.database, state, event);
    } else if (writes) {
        check_page(where.database, state, event);
    }
    return 0;
}

void order_checker::after(const io_event& event, int error) noexcept {
    if (error != 0 || event.what == io_event::kind::sync_directory) return;
    const std::lock_guard lock(guard_);
    const auto where = place_of(event.fd);
    if (where.database.empty()) return;
    auto& state = databases_[where.database];
    if (event.what == io_event::kind::sync) {
        auto& covered = where.is_log ? state.log_synced : state.synced;
        covered = std::max(covered, sync_began);
        return;
    }
    ++events_;
    if (!where.is_log) {
        state.written = events_;
    } else if (event.offset == 0) {
        state.images.clear();
        state.frames.clear();
        state.committed = 0;
        state.has_others = false;
        if (event.bytes == wal_header_bytes) state.page_bytes = big_endian_at(event.content, 8);
    } else if (event.what == io_event::kind::write) {
        note_frames(state, event);
        note_commit(where.database, state, event);
    }
}

void order_checker::note_commit(const std::string& path, database& state, const io_event& event) {
    const auto frame_bytes = frame_extra + state.page_bytes;
    const auto end = static_cast<std::size_t>(event.offset) + event.bytes - wal_header_bytes;
    if (state.page_bytes == 0 || event.bytes < frame_bytes || end % frame_bytes != 0) return;
    const auto* last = static_cast<const char*>(event.content) + event.bytes - frame_bytes;
    if (pages_after(last) == 0) return;
    last_commit = events_;
    last_commit_path = path;
    state.committed = static_cast<std::uint32_t>(end / frame_bytes);
}

void order_checker::note_image(database& state,
                               std::size_t frame,
                               std::uint32_t page,
                               const char* content) {
    if (state.frames.size() <= frame) state.frames.resize(frame + 1);
    state.frames[frame] = page;
    if (content == nullptr || page == 0) return;
    state.images[page].push_back({hash_of(content, state.page_bytes), events_});
}

void order_checker::note_frames(database& state, const io_event& event) {
    if (state.page_bytes == 0) return;  // the log is older than we are
    const auto frame_bytes = frame_extra + state.page_bytes;
    const auto from = static_cast<std::size_t>(event.offset) - wal_header_bytes;
    const auto* content = static_cast<const char*>(event.content);
    auto frame = from / frame_bytes;
    if (from % frame_bytes == frame_extra && event.bytes == state.page_bytes) {
        const auto page = frame < state.frames.size() ? state.frames[frame] : 0;
        note_image(state, frame, page, content);
    }
    if (from % frame_bytes != 0) return;
    std::size_t at = 0;
    for (; at + frame_bytes <= event.bytes; at += frame_bytes) {
        note_image(state, frame++, big_endian_at(content + at, 0), content + at + frame_extra);
    }
    if (event.bytes - at == frame_extra) {
        note_image(state, frame, big_endian_at(content + at, 0), nullptr);
    }
}

void order_checker::check_page(const std::string& path,
                               const database& state,
                               const io_event& event) {
    if (state.page_bytes == 0 || event.bytes != state.page_bytes) return;
    // Pages are known by their content, and another process may have written the same.
    if (state.has_others) return;
    const auto page =
        static_cast<std::uint32_t>(static_cast<std::size_t>(event.offset) / state.page_bytes + 1);
    const auto found = state.images.find(page);
    if (found == state.images.end()) return;
    const auto hash = hash_of(event.content, event.bytes);
    bool is_known = false;
    for (const auto& each : found->second) {
        if (each.hash != hash) continue;
        if (each.written < state.log_synced) return;
        is_known = true;
    }
    if (is_known) report("I1: page " + std::to_string(page) + " of " + path + " before its sync");
}

void order_checker::check_frames(const std::string& path, database& state, const io_event& event) {
    if (state.page_bytes == 0) return;
    const auto index = published_in(path);
    const auto frame_bytes = frame_extra + state.page_bytes;
    const auto from = static_cast<std::size_t>(event.offset) - wal_header_bytes;
    const bool has_header = from % frame_bytes == 0;
    if (!has_header || salt_of_frame(event.content) != index.salt) return;
    const auto frame = static_cast<std::uint32_t>(from / frame_bytes + 1);
    if (index.frames != state.committed) state.has_others = true;
    if (frame <= index.frames) {
        report("I3: frame " + std::to_string(frame) + " of " + path + " of " +
               std::to_string(index.frames) + " is overwritten");
    }
}

void order_checker::check_restart(const std::string& path, database& state, int log_fd) {
    if (expects_faults_) return;
    const auto log = committed_in(log_fd);
    const int fd = descriptor_of(path);
    // Only when the last commit is ours: a process that was killed may have left one that nobody
    // ever saw.
    if (log.pages.empty() || fd < 0 || log.frames != state.committed) return;
    std::string stored(log.page_bytes, '\0');
    for (const auto& [page, content] : log.pages) {
        if (page > log.database_pages) continue;
        const auto at = static_cast<off_t>(page - 1) * static_cast<off_t>(log.page_bytes);
        const auto got = ::pread(fd, stored.data(), stored.size(), at);
        if (got == std::ssize(stored) && stored == content) continue;
        report("I2: the log of " + path + " begins anew without page " + std::to_string(page));
    }
    // Another process may have copied the rest, and synced all of it.
    if (!has_forked_ && state.written > state.synced)
        report("I2: the log of " + path + " before the file's sync");
}

void order_checker::acknowledged() {
    const std::lock_guard lock(guard_);
    const auto found = databases_.find(last_commit_path);
    if (last_commit == 0 || found == databases_.end()) return;
    if (found->second.log_synced <= last_commit) {
        report("I4: a commit to " + last_commit_path + " was acknowledged before its sync");
    }
    last_commit = 0;
}

order_checker& the_order_checker() {
    static auto* checker = new order_checker;  // threads of the VFS outlive static storage
    return *checker;
}

namespace {

class always : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override {
        skiff::vfs::io_interceptor::install(&the_order_checker());
    }
    void OnTestEnd(const testing::TestInfo&) override {
        for (const auto& each : the_order_checker().take_violations()) ADD_FAILURE() << each;
    }
};

}  // namespace

bool check_order_always() {
    ::pthread_atfork([] { the_order_checker().prepare_fork(); },
                     [] { the_order_checker().end_fork(); },
                     [] { the_order_checker().end_fork(); });
    testing::UnitTest::GetInstance()->listeners().Append(new always);
    return true;
}

}  // namespace skiff_test
