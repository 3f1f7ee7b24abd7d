// Text: a label and its content a line, like `skiff info`; then who, then hints.
#include "stats/report.hpp"

#include "output_writers.hpp"
#include "stats/hints.hpp"
#include "stats/rates.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <string_view>

namespace skiff_cli {

namespace {

std::string line(std::string_view label, std::string_view content) {
    return fmt::format("{:<16}{}\n", label, content);
}

std::string file_text(const database_look& seen) {
    const auto free_pages = seen.free_pages ? grouped(*seen.free_pages) : std::string("?");
    return line("file", printable(seen.path.string())) +
           line("size",
                fmt::format("{} ({} bytes)", readable_bytes(seen.bytes), grouped(seen.bytes))) +
           line("pages", fmt::format("{} of {} bytes, {} free", grouped(seen.pages), seen.page_size,
                                     free_pages)) +
           line("journal mode", name_of(seen.journal)) +
           line("vfs", seen.why_not_skiff.empty() ? std::string("skiff")
                                                  : fmt::format("unix: {}", seen.why_not_skiff));
}

std::string mark_text(const wal_index_look& index, std::size_t mark) {
    const auto value = index.view->read_marks[mark];
    const auto use = index.uses[wal_index_look::read + mark];
    const auto number =
        value == wal_index_view::mark_unused ? std::string("unset") : grouped(value);
    const char* note = index.alone                  ? ""
                       : use == slot_use::shared    ? " in use"
                       : use == slot_use::exclusive ? " being set"
                                                    : "";
    return fmt::format("READ{} {}{}", mark, number, note);
}

std::string marks_text(const wal_index_look& index) {
    std::string text;
    for (std::size_t mark = 0; mark < wal_index_view::marks; ++mark) {
        text += fmt::format("{}{}", mark == 0 ? "" : ", ", mark_text(index, mark));
    }
    return text + (index.alone ? " (alone mode: which are in use cannot be seen)" : "");
}

std::string log_text(const database_look& seen) {
    if (seen.journal != journal_kind::wal) return "";
    if (!seen.wal_bytes) return line("log", "none");
    std::string text = line("log", fmt::format("{} ({} bytes)", readable_bytes(*seen.wal_bytes),
                                               grouped(*seen.wal_bytes)));
    const auto& index = seen.index.view;
    if (!index) {
        const char* why = seen.index.exists ? "the -shm file cannot be read, or is not in order"
                                            : "not known without a -shm file";
        return text + line("log frames", why);
    }
    text += line("log frames", fmt::format("{} committed, {} of them in the database",
                                           grouped(index->frames), grouped(index->copied)));
    text +=
        line("log salts", fmt::format("{:08x} {:08x}", index->salts.first, index->salts.second));
    return text + line("read marks", marks_text(seen.index));
}

std::string rates_text(const log_rates& rates) {
    if (!rates.frames_per_second) {
        return line("rates", rates.resets == 0
                                 ? std::string("not known")
                                 : fmt::format("the log began anew {} times", rates.resets));
    }
    return line("rates", fmt::format("{:.1f} frames/s committed, {:.1f} frames/s copied",
                                     *rates.frames_per_second, *rates.copied_per_second));
}

std::string holder_text(const lock_holder& holder, journal_kind journal) {
    std::string locks;
    for (const auto& lock : holder.locks) locks += (locks.empty() ? "" : " ") + lock.name;
    return fmt::format("  {:>8}  {}: {}{}\n", holder.pid, holder.program,
                       activity_of(holder, journal),
                       locks.empty() ? "" : fmt::format(" ({})", locks));
}

std::string holders_text(const database_look& seen) {
    std::string text = seen.holders.found.empty() ? "nobody seen that has it open\n" : "open in\n";
    for (const auto& holder : seen.holders.found) text += holder_text(holder, seen.journal);
    if (seen.holders.hidden != 0) {
        text += fmt::format("  {} processes may not be looked at by this user\n",
                            grouped(seen.holders.hidden));
    }
    return text;
}

}  // namespace

std::string stats_text(const database_look& seen, const database_look* before) {
    std::string text = file_text(seen) + log_text(seen);
    if (before != nullptr) {
        if (const auto rates = rates_between(*before, seen)) text += rates_text(*rates);
    }
    text += "\n" + holders_text(seen);
    for (const auto& hint : hints_for(seen)) text += fmt::format("\nhint: {}\n", hint);
    return text;
}

}  // namespace skiff_cli
