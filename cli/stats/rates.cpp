// The first salt counts how often the log began anew.
#include "stats/rates.hpp"

#include <chrono>

namespace skiff_cli {

std::optional<log_rates> rates_between(const database_look& before, const database_look& seen) {
    const auto& old = before.index.view;
    const auto& now = seen.index.view;
    const double seconds = std::chrono::duration<double>(seen.when - before.when).count();
    if (!old || !now || seconds <= 0) return std::nullopt;
    log_rates rates;
    rates.resets = now->salts.first - old->salts.first;
    if (now->salts == old->salts && now->frames >= old->frames && now->copied >= old->copied) {
        rates.frames_per_second = (now->frames - old->frames) / seconds;
        rates.copied_per_second = (now->copied - old->copied) / seconds;
    }
    return rates;
}

}  // namespace skiff_cli
