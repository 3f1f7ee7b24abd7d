// How a database file is opened. The defaults are the safe ones; each has its reason here.
#pragma once

#include <skiff/log_alarm.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace skiff {

/// When a commit counts as done.
enum class durability {
    full,    ///< after its data is on the disk: survives power loss (synchronous=FULL)
    normal,  ///< after it is in the WAL: survives a crash of the program; a power loss may take the
             ///< last commits, never consistency (synchronous=NORMAL)
    off      ///< nothing is synced: a power loss may corrupt the file. Needs allow_durability_off.
};

/// Whether the file may be made or changed.
enum class open_mode {
    create,      ///< open for writing, make it when it does not exist
    read_write,  ///< open for writing; it must exist
    read_only    ///< no change to the file
};

/// SQLite's journal modes that Skiff opens files in.
enum class journal_mode {
    wal,       ///< readers and one writer at the same time
    rollback,  ///< the classic rollback journal (journal_mode=DELETE)
    keep       ///< whatever the file says
};

/// Options of connection::open and database::open. A plain value; immutable once opened.
struct open_options {
    open_mode mode = open_mode::create;
    journal_mode journal = journal_mode::wal;
    skiff::durability durability = skiff::durability::full;
    /// Asked for twice, because it can corrupt a file that other programs share.
    bool allow_durability_off = false;

    /// How long to wait for locks that other programs hold. Set before anything else is done with
    /// the file, so that opening waits too.
    std::chrono::milliseconds busy_timeout{5000};

    /// Foreign keys are enforced: SQLite's default of not doing so is for 2009's programs.
    bool foreign_keys = true;
    /// SQL inside the schema may not call functions with side effects (sqlite.org/security.html).
    bool trusted_schema = false;
    /// "double quotes" never silently mean a string.
    bool double_quoted_strings = false;

    /// Statements kept prepared on each connection. At the bound the least recently used one goes.
    std::size_t statement_cache_size = 128;
    /// Page cache of each connection in KiB; 0 keeps SQLite's default (2,000 KiB).
    int page_cache_kib = 0;
    /// Bytes of the file that may be read through a memory mapping; 0 maps nothing, a negative
    /// number maps all that Skiff's VFS can (and nothing with another VFS). It saves a system call
    /// and a copy for each page. With a mapping, an I/O error of the disk is a signal (SIGBUS), not
    /// an error code: docs/decisions/0014.
    long long mmap_bytes = -1;

    /// Threads that help a connection with sorts larger than its page cache (ORDER BY, GROUP BY and
    /// index builds), at most 8. They come and go with the sort. The program's own collations are
    /// only called by the thread that uses the connection: defining one ends the help.
    int sort_threads = 0;

    /// Name of the SQLite VFS: empty for Skiff's, "unix" for SQLite's own.
    std::string vfs{};

    /// While no other program has the file open, one kernel lock stands for all locks of this
    /// process, so that they cost nothing. If the process is stopped just then (SIGSTOP, a
    /// debugger), other programs cannot even read until it goes on. False, for any connection of
    /// the process, keeps all of them from it: locks are taken one by one, as SQLite does.
    bool alone_mode = true;

    /// Called once a second while transactions that read keep Skiff's VFS from shortening the log,
    /// after the first second in which they do. It runs on a thread of the VFS
    /// and must not use the database; what it throws is dropped. The reader connections of a
    /// skiff::database do not call it a second time.
    std::function<void(const log_alarm&)> on_log_held_back{};

    // The rest concerns skiff::database only.

    /// Reader connections at most (at least 1). One is opened when first needed.
    int readers = 8;
    /// Callers at most in one shared transaction (rule D13).
    int batch_callers_max = 128;
    /// Time at most that one shared transaction takes on further callers (rule D13).
    std::chrono::microseconds batch_time_max{20000};
};

}  // namespace skiff
