// Parameters are resolved here, by name and by number, into the positional list that is bound.
#include "run_sql.hpp"

#include "cli.hpp"
#include "terminal.hpp"
#include "value_guess.hpp"

#include <skiff/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace skiff_cli {

namespace {

/// The parameter of the command line for the one at `index`, called `name` in the SQL with its
/// prefix, or null.
sql_parameter* find_parameter(std::vector<sql_parameter>& given, std::string_view name, int index) {
    for (auto& each : given) {
        const bool by_name = !name.empty() && (each.name == name || each.name == name.substr(1));
        if (by_name || each.name == std::to_string(index)) return &each;
    }
    return nullptr;
}

[[noreturn]] void refuse(const skiff::statement& statement,
                         std::string message,
                         std::string advice) {
    skiff::throw_error({.code = skiff::errc::arguments,
                        .message = std::move(message),
                        .operation = "bind",
                        .sql = std::string(statement.sql()),
                        .advice = std::move(advice)});
}

void check_all_used(const skiff::statement& statement, const std::vector<sql_parameter>& given) {
    for (const auto& each : given) {
        if (each.used) continue;
        std::string names;
        for (int index = 1; index <= statement.parameter_count(); ++index) {
            const auto name = statement.parameter_name(index);
            names += fmt::format("{}{}", index > 1 ? ", " : "", name.empty() ? "?" : name);
        }
        refuse(statement, fmt::format("the SQL has no parameter {}", each.name),
               names.empty() ? "it has none" : fmt::format("its parameters are {}", names));
    }
}

skiff::argument_list resolved(const skiff::statement& statement, parameter_set& parameters) {
    auto& given = parameters.list;
    skiff::argument_list list;
    for (int index = 1; index <= statement.parameter_count(); ++index) {
        const std::string_view name = statement.parameter_name(index);
        auto* found = find_parameter(given, name, index);
        if (found == nullptr) {
            const std::string shown = name.empty() ? std::to_string(index) : std::string(name);
            refuse(statement, fmt::format("the SQL has a parameter {} without a value", shown),
                   fmt::format("add --param {}=VALUE", name.empty() ? shown : shown.substr(1)));
        }
        found->used = true;
        list.positional.push_back(found->content);
    }
    if (parameters.for_one_statement) check_all_used(statement, given);
    return list;
}

/// The statement's first word changes rows. WITH may start any of them, which is good enough for a
/// message.
bool changes_rows(std::string_view sql) {
    constexpr std::array<std::string_view, 5> words = {"insert", "update", "delete", "replace",
                                                       "with"};
    return std::ranges::any_of(words, [&](std::string_view word) {
        return equal_ignoring_case(sql.substr(0, word.size()), word);
    });
}

sql_parameter split_parameter(std::string_view argument, std::string_view separator) {
    const std::size_t at = argument.find(separator, 1);
    if (at == std::string_view::npos || argument.empty()) {
        throw usage_error(
            fmt::format("'{}' is no parameter: write NAME{}VALUE", argument, separator));
    }
    return {std::string(argument.substr(0, at)),
            std::string(argument.substr(at + separator.size()))};
}

}  // namespace

sql_parameter parameter_from(std::string_view argument) {
    auto found = split_parameter(argument, "=");
    if (found.name.size() > 1 && found.name.ends_with(':')) {
        found.name.pop_back();
        return found;
    }
    found.content = guessed_value(std::get<std::string>(found.content));
    return found;
}

sql_parameter text_parameter_from(std::string_view argument) {
    return split_parameter(argument, "=");
}

run_result run_sql(skiff::connection& db,
                   std::string_view sql,
                   parameter_set& parameters,
                   row_writer& writer,
                   const interrupt_scope& stop) {
    stop.check();
    auto statement = db.prepare(sql);
    const auto arguments = resolved(statement, parameters);
    run_result done;
    done.changes_rows = !statement.read_only() && changes_rows(statement.sql());
    done.columns = statement.column_count();
    if (done.columns == 0) {
        done.changes = statement.exec(arguments).changes;
        return done;
    }
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(done.columns));
    for (int column = 0; column < done.columns; ++column) {
        names.emplace_back(statement.column_name(column));
    }
    // Rows that are being written need a transaction; so Ctrl-C in the middle writes nothing.
    std::optional<skiff::transaction> own;
    if (done.changes_rows && !db.in_transaction()) own.emplace(db.begin());
    auto rows = statement.query(arguments);
    bool begun = false;
    const auto begin = [&] {
        if (!std::exchange(begun, true)) writer.begin(names);
    };
    const auto changes_before = db.total_changes();
    // The head is written with the first row: a statement that fails at once prints nothing.
    for (const auto& row : rows) {
        begin();
        writer.add(row);
        ++done.rows;
        stop.check();
    }
    begin();
    writer.end();
    if (own) own->commit();
    if (db.total_changes() != changes_before) done.changes = done.rows;
    return done;
}

std::string changes_text(std::int64_t changes) {
    return fmt::format("{} row{} changed", grouped(static_cast<std::uint64_t>(changes)),
                       changes == 1 ? "" : "s");
}

}  // namespace skiff_cli
