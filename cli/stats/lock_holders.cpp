// /proc changes while it is read: a process or descriptor that is gone is no error.
#include "stats/lock_holders.hpp"

#include "output_writers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace skiff_cli {

namespace {

struct file_identity {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned long long inode = 0;
    friend bool operator==(const file_identity&, const file_identity&) = default;
};

struct known_file {
    file_part part;
    file_identity identity;
};

struct close_folder {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};
using folder_handle = std::unique_ptr<DIR, close_folder>;

/// Does not ask a network file system anew: what is known of the inode is enough.
std::optional<file_identity> identity_of(int folder, const char* name) {
    struct statx status{};
    if (::statx(folder, name, AT_STATX_DONT_SYNC, STATX_INO, &status) != 0) return std::nullopt;
    return file_identity{status.stx_dev_major, status.stx_dev_minor, status.stx_ino};
}

std::vector<known_file> files_of(const std::filesystem::path& database) {
    constexpr std::array<std::pair<file_part, const char*>, 3> suffixes{
        {{file_part::database, ""}, {file_part::wal, "-wal"}, {file_part::shm, "-shm"}}};
    std::vector<known_file> files;
    for (const auto& [part, suffix] : suffixes) {
        const auto identity = identity_of(AT_FDCWD, (database.native() + suffix).c_str());
        if (identity) files.push_back({part, *identity});
    }
    return files;
}

template <class Value>
void add_once(std::vector<Value>& list, const Value& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::string program_of(const std::string& process) {
    std::string name;
    std::ifstream file(process + "/comm", std::ios::binary);
    std::getline(file, name);
    return name.empty() ? "?" : printable(name);
}

void add_locks(const std::string& info, file_part part, std::vector<held_lock>& locks) {
    std::ifstream file(info);
    for (std::string line; std::getline(file, line);) {
        const auto held = parse_lock_line(line);
        if (!held) continue;
        for (const auto& lock : locks_in(part, *held)) add_once(locks, lock);
    }
}

/// Adds what the process has open of the database; counts it when it may not be looked at.
void look_at(const std::string& process, const std::vector<known_file>& files, holder_scan& scan) {
    const folder_handle folder(::opendir((process + "/fd").c_str()));
    if (!folder) {
        if (errno == EACCES || errno == EPERM) ++scan.hidden;
        return;
    }
    lock_holder holder;
    while (const auto* entry = ::readdir(folder.get())) {
        if (entry->d_name[0] == '.') continue;
        const auto identity = identity_of(::dirfd(folder.get()), entry->d_name);
        for (const auto& file : files) {
            if (!identity || !(file.identity == *identity)) continue;
            add_once(holder.files, file.part);
            add_locks(process + "/fdinfo/" + entry->d_name, file.part, holder.locks);
        }
    }
    if (holder.files.empty()) return;
    holder.program = program_of(process);
    scan.found.push_back(std::move(holder));
}

std::optional<pid_t> pid_in(std::string_view name) {
    pid_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return pid;
}

std::vector<std::string> log_activities(const lock_holder& holder) {
    std::vector<std::string> activities;
    if (holder.holds("ALONE")) activities.emplace_back("alone mode");
    if (holder.holds("WRITE")) activities.emplace_back("writes");
    if (holder.holds("CKPT")) activities.emplace_back("checkpoints");
    if (holder.holds("RECOVER")) activities.emplace_back("recovers the log");
    if (holder.reads_log()) activities.emplace_back("reads");
    if (holder.holds("EXCLUSIVE")) activities.emplace_back("keeps the file for itself");
    return activities;
}

std::vector<std::string> journal_activities(const lock_holder& holder) {
    if (holder.holds("EXCLUSIVE")) return {"writes", "lets nobody read"};
    // A reader has a shared lock of PENDING for the moment in which it begins.
    const held_lock pending{"PENDING", lock_strength::exclusive};
    const auto& locks = holder.locks;
    if (std::find(locks.begin(), locks.end(), pending) != locks.end()) {
        return {"writes", "waits for readers to end"};
    }
    if (holder.holds("RESERVED")) return {"writes"};
    if (holder.holds("SHARED")) return {"reads"};
    return {};
}

}  // namespace

bool lock_holder::holds(std::string_view lock) const noexcept {
    return std::any_of(locks.begin(), locks.end(),
                       [&](const held_lock& each) { return each.name == lock; });
}

bool lock_holder::reads_log() const noexcept {
    return std::any_of(locks.begin(), locks.end(), [](const held_lock& each) {
        return each.name.starts_with("READ") && each.strength == lock_strength::shared;
    });
}

const lock_holder* holder_scan::holder_of(std::string_view lock) const noexcept {
    const auto holder = std::find_if(found.begin(), found.end(),
                                     [&](const lock_holder& each) { return each.holds(lock); });
    return holder == found.end() ? nullptr : &*holder;
}

holder_scan find_holders(const std::filesystem::path& database) {
    holder_scan scan;
    const auto files = files_of(database);
    const folder_handle processes(::opendir("/proc"));
    if (!processes) return scan;
    while (const auto* entry = ::readdir(processes.get())) {
        const auto pid = pid_in(entry->d_name);
        if (!pid || *pid == ::getpid()) continue;
        const auto before = scan.found.size();
        look_at(std::string("/proc/") + entry->d_name, files, scan);
        if (scan.found.size() > before) scan.found.back().pid = *pid;
    }
    std::sort(
        scan.found.begin(), scan.found.end(),
        [](const lock_holder& left, const lock_holder& right) { return left.pid < right.pid; });
    return scan;
}

std::string_view name_of(journal_kind kind) noexcept {
    switch (kind) {
        case journal_kind::empty:
            return "empty file";
        case journal_kind::rollback:
            return "rollback";
        case journal_kind::wal:
            return "wal";
    }
    return "";
}

std::string activity_of(const lock_holder& holder, journal_kind journal) {
    const auto activities =
        journal == journal_kind::wal ? log_activities(holder) : journal_activities(holder);
    std::string text;
    for (const auto& each : activities) text += (text.empty() ? "" : ", ") + each;
    return text.empty() ? "has it open" : text;
}

}  // namespace skiff_cli
