// Rounds A B, B A, A B …: whatever the machine does meanwhile, both get their share of it.
#include "demo/measure.hpp"

#include "demo/writer_threads.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

namespace skiff_cli {

namespace {

using seconds = std::chrono::duration<double>;
using clock = std::chrono::steady_clock;

/// How many keys are read between two looks at the clock.
constexpr std::size_t keys_at_once = 256;

/// A row to be: what it is called and how one contender's speed is taken, in rows a second.
struct job {
    std::string name;
    double weight;  ///< its share of the time
    std::function<double(contender&, seconds)> speed;
};

/// What each contender's log must hold in the end.
struct log_count {
    std::int64_t plain_c = 0;
    std::int64_t skiff = 0;
};

std::vector<std::int64_t> shuffled_ids(std::int64_t count) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i) + 1;
    // The same order for both, and in every run.
    std::shuffle(ids.begin(), ids.end(), std::mt19937_64(20240229));
    return ids;
}

void check_settings(contender& plain_c, contender& skiff) {
    const auto left = plain_c.settings();
    const auto right = skiff.settings();
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (left[i] == right[i]) continue;
        throw std::runtime_error(fmt::format(
            "nothing was measured, since the settings differ: {} is {} in plain C and {} "
            "in Skiff",
            left[i].first, left[i].second, right[i].second));
    }
}

template <class Answer>
void check_equal(const char* what, const Answer& plain_c, const Answer& skiff) {
    if (plain_c == skiff) return;
    throw std::runtime_error(
        fmt::format("nothing was measured, since the answers differ: {}", what));
}

/// Everything that is timed later is done once by both, and what they found is compared.
void check_answers(contender& plain_c,
                   contender& skiff,
                   const std::vector<std::int64_t>& ids,
                   unsigned writers) {
    check_equal("packages read by key", plain_c.read_by_key(ids), skiff.read_by_key(ids));
    check_equal("all packages read in a row", plain_c.scan(), skiff.scan());
    // Plain C needs a tenth of a second a thread to get through this, so a few threads must do.
    for (const unsigned threads : {1U, std::min(writers, 8U)}) {
        constexpr unsigned rows_each = 4;
        for (contender* each : {&plain_c, &skiff}) write_rows(*each, threads, rows_each);
        const auto written = plain_c.written();
        check_equal("rows written", written, skiff.written());
        if (written.count != std::int64_t{threads} * rows_each) {
            throw std::runtime_error("nothing was measured, since rows written were lost");
        }
        for (contender* each : {&plain_c, &skiff}) each->clear_written();
    }
}

double keys_per_second(contender& target, const std::vector<std::int64_t>& ids, seconds span) {
    std::size_t done = 0;
    std::size_t at = 0;
    const auto begun = clock::now();
    auto now = begun;
    while (now - begun < span) {
        const auto count = std::min(keys_at_once, ids.size() - at);
        const auto found = target.read_by_key({ids.data() + at, count});
        if (found.rows != count) throw std::runtime_error("a read by key found too little");
        done += count;
        at = at + count < ids.size() ? at + count : 0;
        now = clock::now();
    }
    return static_cast<double>(done) / seconds(now - begun).count();
}

double rows_per_second(contender& target, const digest& expected, seconds span) {
    std::uint64_t done = 0;
    const auto begun = clock::now();
    auto now = begun;
    while (now - begun < span) {
        const auto found = target.scan();
        if (found != expected) throw std::runtime_error("a scan found something else than before");
        done += found.rows;
        now = clock::now();
    }
    return static_cast<double>(done) / seconds(now - begun).count();
}

void check_log(contender& target, std::int64_t expected, const char* whose) {
    const auto found = target.written().count;
    if (found == expected) return;
    throw std::runtime_error(fmt::format("{}: {} rows were reported as written and {} are there",
                                         whose, expected, found));
}

}  // namespace

spread spread_of(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto middle = samples.size() / 2;
    const double median =
        samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
    return {median, samples.front(), samples.back()};
}

spread measured_row::ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(plain_c.size(), skiff.size()); ++i) {
        if (plain_c[i] > 0) ratios.push_back(skiff[i] / plain_c[i]);
    }
    return spread_of(std::move(ratios));
}

std::vector<measured_row> measure(contender& plain_c,
                                  contender& skiff,
                                  const measure_options& options,
                                  const interrupt_scope& interrupts) {
    const auto ids = shuffled_ids(options.packages);
    check_settings(plain_c, skiff);
    check_answers(plain_c, skiff, ids, options.writers);
    interrupts.check();

    const digest whole = plain_c.scan();
    log_count written;
    const auto write_speed = [&](unsigned threads) {
        return [&, threads](contender& target, seconds span) {
            const auto done = write_for(target, threads, span, interrupts.token());
            (&target == &skiff ? written.skiff : written.plain_c) += done.all;
            return static_cast<double>(done.in_time) / span.count();
        };
    };
    const std::array<job, 4> jobs{{
        {"read by key, 1 thread", 0.2,
         [&](contender& target, seconds span) { return keys_per_second(target, ids, span); }},
        {"read all rows, 1 thread", 0.15,
         [&](contender& target, seconds span) { return rows_per_second(target, whole, span); }},
        {"durable insert, 1 thread", 0.25, write_speed(1)},
        {fmt::format("durable insert, {} threads", options.writers), 0.4,
         write_speed(options.writers)},
    }};

    std::vector<measured_row> rows;
    rows.reserve(jobs.size());
    for (const auto& each : jobs) rows.push_back({each.name, {}, {}});
    progress bar("measuring", progress_unit::items);
    std::uint64_t slices_done = 0;
    const auto slices = options.rounds * jobs.size() * 2;
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const seconds span = options.budget * (jobs[i].weight / (2 * options.rounds));
            for (const unsigned turn : {0U, 1U}) {
                const bool is_skiff = (round + turn) % 2 == 1;
                bar.remark(fmt::format("{}: {}", jobs[i].name, is_skiff ? "Skiff" : "plain C"));
                bar.update(slices_done++, slices);
                const double speed = jobs[i].speed(is_skiff ? skiff : plain_c, span);
                interrupts.check();
                (is_skiff ? rows[i].skiff : rows[i].plain_c).push_back(speed);
            }
        }
    }
    check_log(plain_c, written.plain_c, "plain C");
    check_log(skiff, written.skiff, "Skiff");
    return rows;
}

}  // namespace skiff_cli
