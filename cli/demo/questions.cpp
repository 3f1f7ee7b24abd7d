// Five questions of the kind people ask of a package index.
#include "demo/questions.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace skiff_cli {

namespace {

constexpr std::string_view largest_sql =
    "select name, section, installed_kib / 1024 as installed_mib\n"
    "from package where section <> 'debug' order by installed_kib desc limit 10";

constexpr std::string_view most_needed_sql =
    "select target, count(distinct package) as needed_by\n"
    "from dependency where kind in ('depends', 'pre-depends')\n"
    "group by target order by needed_by desc, target limit 10";

constexpr std::string_view reverse_sql =
    "with recursive needs(name, level) as (\n"
    "    select ?, 0\n"
    "    union\n"
    "    select p.name, level + 1 from needs\n"
    "    join dependency d on d.target = needs.name and d.kind in ('depends', 'pre-depends')\n"
    "    join package p on p.id = d.package\n"
    "    where level < 3)\n"
    "select first as level, count(*) as packages\n"
    "from (select name, min(level) as first from needs group by name)\n"
    "where first > 0 group by first order by first";

constexpr std::string_view search_sql =
    "select p.name, p.version, snippet(description, 0, '[', ']', '...', 12) as summary\n"
    "from description join package p on p.id = description.rowid\n"
    "where description match ? order by rank limit 5";

constexpr std::string_view sections_sql =
    "select section, count(*) as packages, sum(size_bytes) / 1048576 as download_mib\n"
    "from package group by section order by packages desc limit 10";

/// The package whose dependents are followed: libssl3, or in an index without it the one that most
/// others need.
std::string followed_package(skiff::database& db) {
    constexpr std::string_view wanted = "libssl3";
    const auto users =
        db.one<std::int64_t>("select count(*) from dependency where target = ?", wanted);
    if (users > 0) return std::string(wanted);
    return db
        .maybe<std::string>(
            "select target from dependency group by target order by count(*) desc, "
            "target limit 1")
        .value_or(std::string(wanted));
}

template <class... Args>
answered_question ask(skiff::database& db,
                      const interrupt_scope& interrupts,
                      std::string title,
                      std::string_view sql,
                      const Args&... arguments) {
    answered_question answer;
    answer.title = std::move(title);
    answer.sql = sql;
    const auto begun = std::chrono::steady_clock::now();
    auto snapshot = db.read({.stop = interrupts.token()});
    for (const skiff::row& row : snapshot.query(sql, arguments...)) {
        if (answer.columns.empty()) {
            for (int i = 0; i < row.size(); ++i) answer.columns.emplace_back(row.name(i));
        }
        auto& cells = answer.rows.emplace_back();
        for (int i = 0; i < row.size(); ++i) cells.push_back(row.get<skiff::value>(i));
    }
    answer.took = std::chrono::steady_clock::now() - begun;
    interrupts.check();
    return answer;
}

}  // namespace

std::vector<answered_question> ask_questions(skiff::database& db,
                                             const interrupt_scope& interrupts) {
    constexpr std::string_view search = "database AND (sqlite OR postgresql)";
    const std::string followed = followed_package(db);
    std::vector<answered_question> answers;
    answers.push_back(
        ask(db, interrupts, "The ten largest packages, debug symbols aside", largest_sql));
    answers.push_back(
        ask(db, interrupts, "The ten packages that most others need", most_needed_sql));
    answers.push_back(ask(
        db, interrupts, fmt::format("What would stop working without {}, level by level", followed),
        reverse_sql, followed));
    answers.push_back(
        ask(db, interrupts, fmt::format("Full-text search: {}", search), search_sql, search));
    answers.push_back(ask(db, interrupts, "Packages by section", sections_sql));
    return answers;
}

}  // namespace skiff_cli
