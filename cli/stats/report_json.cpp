// The same for programs: what is not known is null.
#include "stats/hints.hpp"
#include "stats/rates.hpp"
#include "stats/report.hpp"

#include <nlohmann/json.hpp>

namespace skiff_cli {

namespace {

using json = nlohmann::ordered_json;

template <class Value>
json or_null(const std::optional<Value>& value) {
    return value ? json(*value) : json(nullptr);
}

json mark_json(const wal_index_look& index, std::size_t mark) {
    const auto value = index.view->read_marks[mark];
    const auto use = index.uses[wal_index_look::read + mark];
    json object;
    object["slot"] = mark;
    object["frame"] = value == wal_index_view::mark_unused ? json(nullptr) : json(value);
    object["in_use"] = index.alone ? json(nullptr) : json(use == slot_use::shared);
    return object;
}

json log_json(const database_look& seen) {
    if (seen.journal != journal_kind::wal || !seen.wal_bytes) return nullptr;
    json object = {{"bytes", *seen.wal_bytes}};
    const auto& index = seen.index.view;
    object["frames"] = index ? json(index->frames) : json(nullptr);
    object["copied"] = index ? json(index->copied) : json(nullptr);
    object["salts"] =
        index ? json::array({index->salts.first, index->salts.second}) : json(nullptr);
    object["alone"] = seen.index.alone;
    object["read_marks"] = json::array();
    for (std::size_t mark = 0; index && mark < wal_index_view::marks; ++mark) {
        object["read_marks"].push_back(mark_json(seen.index, mark));
    }
    return object;
}

json holder_json(const lock_holder& holder, journal_kind journal) {
    json object = {{"pid", holder.pid}, {"program", holder.program}};
    object["activity"] = activity_of(holder, journal);
    object["files"] = json::array();
    for (const auto part : holder.files) object["files"].push_back(name_of(part));
    object["locks"] = json::array();
    for (const auto& lock : holder.locks) {
        object["locks"].push_back(
            {{"name", lock.name}, {"exclusive", lock.strength == lock_strength::exclusive}});
    }
    return object;
}

json rates_json(const database_look& seen, const database_look* before) {
    const auto rates = before != nullptr ? rates_between(*before, seen) : std::nullopt;
    if (!rates) return nullptr;
    return {{"frames_per_second", or_null(rates->frames_per_second)},
            {"copied_per_second", or_null(rates->copied_per_second)},
            {"log_resets", rates->resets}};
}

}  // namespace

std::string stats_json(const database_look& seen, const database_look* before) {
    json object = {{"path", seen.path.string()}, {"bytes", seen.bytes}};
    object["page_size"] = seen.page_size;
    object["page_count"] = seen.pages;
    object["freelist_count"] = or_null(seen.free_pages);
    object["journal_mode"] = name_of(seen.journal);
    object["vfs"] = seen.why_not_skiff.empty() ? "skiff" : "unix";
    object["why_not_skiff"] = seen.why_not_skiff.empty() ? json(nullptr) : json(seen.why_not_skiff);
    object["log"] = log_json(seen);
    object["rates"] = rates_json(seen, before);
    object["processes"] = json::array();
    for (const auto& holder : seen.holders.found) {
        object["processes"].push_back(holder_json(holder, seen.journal));
    }
    object["hidden_processes"] = seen.holders.hidden;
    object["unsynced"] = seen.unsynced;
    object["hints"] = hints_for(seen);
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace skiff_cli
