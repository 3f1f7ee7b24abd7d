// The order of things: sample, columns, rows. The table is made in the first batch's transaction,
// so that an import that ends early leaves whole batches or nothing.
#include "import/importer.hpp"

#include "cli.hpp"
#include "import/byte_source.hpp"
#include "value_guess.hpp"

#include <skiff/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace skiff_cli {

namespace {

/// Columns at most that are added for keys which the sample did not have.
constexpr std::size_t late_columns_max = 500;

std::string_view copied(std::string_view text, std::vector<char>& bytes) {
    const std::size_t begin = bytes.size();
    bytes.insert(bytes.end(), text.begin(), text.end());
    return {bytes.data() + begin, text.size()};
}

std::string names_of(const std::vector<target_column>& columns) {
    std::string list;
    for (const auto& column : columns) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", column.name);
    }
    return list;
}

/// The row alone is at fault: the next one may be fine.
bool is_fault_of_row(const skiff::error& failure) {
    switch (failure.code()) {
        case skiff::errc::constraint:
        case skiff::errc::type_mismatch:
        case skiff::errc::too_big:
        case skiff::errc::conversion:
            return true;
        default:
            return false;
    }
}

}  // namespace

importer::importer(skiff::connection* db,
                   byte_source& source,
                   record_reader& reader,
                   reject_log& rejects,
                   import_settings settings)
    : db_(db),
      source_(source),
      reader_(reader),
      rejects_(rejects),
      settings_(std::move(settings)),
      stop_(db),
      progress_(fmt::format("importing {}", settings_.table), progress_unit::bytes) {}

import_summary importer::run() {
    try {
        auto existing = existing_columns();
        read_sample();
        decide_columns(std::move(existing));
        store_all();
    } catch (const skiff::interrupted&) {
        throw interrupted_by_user(state_text());
    } catch (const interrupted_by_user&) {
        throw interrupted_by_user(state_text());
    } catch (const skiff::error& failure) {
        auto details = failure.details();
        if (table_) details.message += "; " + state_text();
        skiff::throw_error(std::move(details));
    } catch (const std::exception& failure) {
        if (!table_) throw;
        throw std::runtime_error(fmt::format("{}; {}", failure.what(), state_text()));
    }
    return {.columns = columns_,
            .rows = rows_,
            .rejected = rejects_.count(),
            .skipped_lines = reader_.skipped_lines(),
            .created = created_};
}

std::string importer::state_text() const {
    if (!table_) return "nothing was stored";
    const auto text = [](std::int64_t rows) { return grouped(static_cast<std::uint64_t>(rows)); };
    std::string stored = fmt::format("{} rows are in", text(table_->rows_committed()));
    if (table_->rows_pending() == 0) return stored;
    return fmt::format("{}, the batch in hand ({} rows) is not", stored,
                       text(table_->rows_pending()));
}

void importer::read_sample() {
    std::size_t bytes = 0;
    record next;
    while (sample_.size() < sample_records && bytes < sample_bytes_max && reader_.next(next)) {
        stop_.check();
        show_progress();
        if (!next.problem.empty()) {
            reject(next, next.problem);
            continue;
        }
        kept_record kept{.content = next, .bytes = {}};
        std::size_t size = next.raw.size();
        for (const cell& each : next.cells) size += each.text.size();
        kept.bytes.reserve(size);  // so that the views stay valid
        kept.content.raw = copied(next.raw, kept.bytes);
        for (cell& each : kept.content.cells) each.text = copied(each.text, kept.bytes);
        guesses_.resize(std::max(guesses_.size(), next.cells.size()));
        for (std::size_t index = 0; index < next.cells.size(); ++index) {
            guesses_[index].add(next.cells[index]);
        }
        bytes += size;
        sample_.push_back(std::move(kept));
    }
    guesses_.resize(reader_.columns().size());
    if (reader_.columns().empty()) throw std::runtime_error("the source holds no record");
}

/// The columns of the table, none when it is not there; throws when that is not what was asked for.
std::vector<target_column> importer::existing_columns() const {
    std::vector<target_column> existing;
    if (db_ != nullptr) existing = columns_of_table(*db_, settings_.table);
    if (existing.empty() && settings_.policy == table_policy::append) {
        throw std::runtime_error(
            fmt::format("there is no table {}; leave out --append to make it", settings_.table));
    }
    if (!existing.empty() && settings_.policy == table_policy::create) {
        throw std::runtime_error(fmt::format(
            "the table {} exists already; leave out --create to add to it", settings_.table));
    }
    return existing;
}

void importer::decide_columns(std::vector<target_column> existing) {
    existing.empty() ? create_columns() : match_columns(std::move(existing));
    if (settings_.dry_run) return;
    table_.emplace(*db_, settings_.table, columns_, settings_.batch_rows);
    if (created_) table_->create();
}

void importer::create_columns() {
    created_ = true;
    const auto names = distinct_names(reader_.columns());
    for (std::size_t index = 0; index < names.size(); ++index) {
        columns_.push_back({names[index], guesses_[index].result()});
        routes_.push_back(index);
    }
}

void importer::match_columns(std::vector<target_column> existing) {
    const auto& names = reader_.columns();
    if (settings_.by_position) {
        if (names.size() != existing.size()) {
            throw std::runtime_error(
                fmt::format("the source has {} columns, the table {} has {}: {}", names.size(),
                            settings_.table, existing.size(), names_of(existing)));
        }
        columns_ = std::move(existing);
        for (std::size_t index = 0; index < names.size(); ++index) routes_.push_back(index);
        return;
    }
    for (const auto& name : names) {
        const auto is_called = [&](const target_column& column) {
            return equal_ignoring_case(column.name, name);
        };
        const auto found = std::ranges::find_if(existing, is_called);
        if (found == existing.end()) {
            throw std::runtime_error(fmt::format("the table {} has no column {}; it has {}",
                                                 settings_.table, name, names_of(existing)));
        }
        if (std::ranges::any_of(columns_, is_called)) {
            throw std::runtime_error(fmt::format("two columns of the source are called {}", name));
        }
        routes_.push_back(columns_.size());
        columns_.push_back(*found);
    }
}

/// Keys that the sample did not have become columns of a table that this import made. In a table
/// that was there, they are unknown.
void importer::add_late_columns(const record& row) {
    const auto& names = reader_.columns();
    if (routes_.size() == names.size()) return;
    const auto distinct = distinct_names(names);
    while (routes_.size() < names.size()) {
        const std::size_t index = routes_.size();
        if (!created_ || columns_.size() >= guesses_.size() + late_columns_max) {
            routes_.push_back(nowhere);
            continue;
        }
        const cell seen = index < row.cells.size() ? row.cells[index] : cell{};
        const bool number = seen.what == cell::kind::integer || seen.what == cell::kind::real;
        const target_column column{distinct[index], number ? column_type::any : column_type::text};
        if (table_) table_->add_column(column);
        routes_.push_back(columns_.size());
        columns_.push_back(column);
    }
}

void importer::store_all() {
    for (const kept_record& each : sample_) store(each.content);
    sample_.clear();
    record next;
    while (reader_.next(next)) store(next);
    stop_.check();  // a source that ended because Ctrl-C ended its writer is not complete
    if (table_) table_->commit();
    progress_.clear();
}

void importer::store(const record& row) {
    stop_.check();
    show_progress();
    if (!row.problem.empty()) {
        reject(row, row.problem);
        return;
    }
    add_late_columns(row);
    if (const auto problem = fill_row(row)) {
        reject(row, *problem);
        return;
    }
    if (table_) {
        try {
            table_->insert(row_);
        } catch (const skiff::error& failure) {
            if (!is_fault_of_row(failure) || !db_->in_transaction()) throw;
            reject(row, std::string(failure.message()));
            return;
        }
    }
    ++rows_;
    if (table_) table_->commit_full_batch();
}

/// Makes row_ from the record; the answer is why that is not possible.
std::optional<std::string> importer::fill_row(const record& row) {
    static constexpr cell nothing{};
    row_.positional.resize(columns_.size());
    for (std::size_t index = 0; index < routes_.size(); ++index) {
        const cell& found = index < row.cells.size() ? row.cells[index] : nothing;
        const std::size_t target = routes_[index];
        if (target == nowhere) {
            if (found.what == cell::kind::missing) continue;
            return fmt::format("there is no column {}", reader_.columns()[index]);
        }
        const target_column& column = columns_[target];
        if (!convert(found, column.type, row_.positional[target])) {
            return fmt::format("{} does not fit column {} {}", shown(found), column.name,
                               name_of(column.type));
        }
    }
    return std::nullopt;
}

void importer::reject(const record& row, const std::string& reason) {
    rejects_.add(row, reason, progress_);
}

void importer::show_progress() {
    if (!progress_.is_due()) return;
    progress_.remark(fmt::format("{} rows", grouped(static_cast<std::uint64_t>(rows_))));
    progress_.update(source_.bytes_read(), source_.bytes_total());
}

}  // namespace skiff_cli
