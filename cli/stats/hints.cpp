// Each hint needs evidence in the look itself; nothing is guessed.
#include "stats/hints.hpp"

#include <fmt/format.h>

namespace skiff_cli {

namespace {

std::string writer_hint(const database_look& seen) {
    const bool wal = seen.journal == journal_kind::wal;
    const auto* writer = seen.holders.holder_of(wal ? "WRITE" : "RESERVED");
    if (writer == nullptr && !wal) writer = seen.holders.holder_of("EXCLUSIVE");
    if (writer != nullptr) {
        return fmt::format("pid {} ({}) is in a write transaction: others wait for it to end",
                           writer->pid, writer->program);
    }
    const bool held =
        wal && !seen.index.alone && seen.index.uses[wal_index_look::write] == slot_use::exclusive;
    return held ? "a process that cannot be looked at is in a write transaction" : "";
}

std::string reader_hint(const database_look& seen) {
    const auto mark = seen.oldest_mark_in_use();
    if (!mark || seen.log_bytes_used() <= long_log_bytes) return "";
    const auto& index = *seen.index.view;
    if (index.read_marks[*mark] >= index.frames) return "";
    const auto* reader = seen.holders.holder_of(fmt::format("READ{}", *mark));
    if (reader == nullptr) {
        return fmt::format(
            "a reader that cannot be looked at (READ{}) keeps the log from being reset", *mark);
    }
    return fmt::format(
        "reader {} (pid {}) keeps the log from being reset: end its transaction (READ{})",
        reader->program, reader->pid, *mark);
}

std::string leftover_hint(const database_look& seen) {
    if (seen.journal != journal_kind::wal || seen.wal_bytes.value_or(0) == 0) return "";
    if (!seen.holders.found.empty() || seen.holders.hidden != 0) return "";
    return "nobody has the database open, yet its log is there: whoever opens it next takes it in; "
           "do not delete it";
}

}  // namespace

std::vector<std::string> hints_for(const database_look& seen) {
    std::vector<std::string> hints;
    if (seen.unsynced) {
        hints.push_back(fmt::format(
            "{}-unsynced says that a sync failed: what was written may not be on the disk; look at "
            "the disk before anything else",
            seen.path.filename().string()));
    }
    for (auto hint : {writer_hint(seen), reader_hint(seen), leftover_hint(seen)}) {
        if (!hint.empty()) hints.push_back(std::move(hint));
    }
    return hints;
}

}  // namespace skiff_cli
