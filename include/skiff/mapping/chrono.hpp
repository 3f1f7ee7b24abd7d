// Mapping of time. Points in time are ISO-8601 text in UTC ("2026-11-30T19:48:41.250Z") unless
// `time_storage` says they are a count since 1970; durations are a count of their own unit; a
// year_month_day is "2026-11-30".
#pragma once

#include <skiff/mapping/numbers.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skiff {

/// How a point in time is stored.
enum class time_format {
    iso8601,  ///< text; sorts and compares correctly; SQLite's date functions read it
    epoch     ///< integer count of the type's own duration since 1970-01-01 UTC
};

/// Specialise for a time point type to choose its format:
///     template <> inline constexpr auto
///     skiff::time_storage<std::chrono::sys_seconds> = skiff::time_format::epoch;
template <class TimePoint>
inline constexpr time_format time_storage = time_format::iso8601;

/// A point in time stored as an integer count, whatever time_storage says of its type.
template <class TimePoint>
struct epoch {
    TimePoint time;
    friend bool operator==(const epoch&, const epoch&) = default;
};

namespace detail {

/// Nanoseconds since 1970 would overflow in 2262; seconds and a fraction do not.
struct utc_time {
    std::int64_t seconds;      ///< since 1970-01-01T00:00:00Z
    std::int32_t nanoseconds;  ///< 0 to 999,999,999
};

/// The longest text: sign, 5-digit year … nanoseconds, "Z".
inline constexpr std::size_t iso8601_bytes_max = 40;

/// Writes "YYYY-MM-DDTHH:MM:SS[.fraction]Z" and returns its length.
std::size_t format_iso8601(utc_time time, int fraction_digits, char (&out)[iso8601_bytes_max]);
/// Reads ISO-8601 date-times as SQLite and most programs write them ("T" or a space, fraction of
/// any length, "Z", an offset, or none, which means UTC).
utc_time parse_iso8601(value_ref source);
std::size_t format_date(std::chrono::year_month_day date, char (&out)[iso8601_bytes_max]);
std::chrono::year_month_day parse_date(value_ref source);

/// Digits after the decimal point that hold every time counted in Duration exactly; -1 when nine do
/// not (sixtieths of a second, picoseconds).
template <class Duration>
constexpr int fraction_digits() {
    std::intmax_t parts = 1;  // of a second, in so many digits
    for (int digits = 0; digits <= 9; ++digits, parts *= 10) {
        if (parts % Duration::period::den == 0) return digits;
    }
    return -1;
}

/// Text must give back the very time that was written.
template <class Duration>
constexpr void check_text_is_exact() {
    static_assert(std::integral<typename Duration::rep>,
                  "skiff: text keeps whole units: use a time point that counts in integers");
    static_assert(fraction_digits<Duration>() >= 0,
                  "skiff: text has nine decimal digits, which do not hold this unit exactly: bind "
                  "and read it as skiff::epoch, or cast it to std::chrono::nanoseconds");
}

/// The years of ISO-8601 text have four digits: others would not sort, nor be read again.
template <class Duration>
constexpr bool has_four_digit_year(Duration since_1970) {
    using period = typename Duration::period;
    constexpr __int128 first_second = -62'167'219'200;  // 0000-01-01T00:00:00Z
    constexpr __int128 end_second = 253'402'300'800;    // 10000-01-01T00:00:00Z
    const auto parts = static_cast<__int128>(since_1970.count()) * period::num;
    return parts >= first_second * period::den && parts < end_second * period::den;
}

template <class Duration>
Duration to_duration(utc_time time, value_ref source) {
    using period = typename Duration::period;
    // Floored: before 1970, too, a coarser unit is the one that the time lies in.
    constexpr std::int64_t part_nanoseconds = 1'000'000'000 / period::den;
    const auto parts =
        static_cast<__int128>(time.seconds) * period::den + time.nanoseconds / part_nanoseconds;
    const __int128 count = parts / period::num - (parts % period::num < 0 ? 1 : 0);
    const auto narrowed = static_cast<typename Duration::rep>(count);
    if (static_cast<__int128>(narrowed) != count) source.fail("time outside the type's range");
    return Duration(narrowed);
}

}  // namespace detail

/// Durations: a count of the duration's own unit.
template <class Rep, class Period>
struct mapping<std::chrono::duration<Rep, Period>> {
    using duration = std::chrono::duration<Rep, Period>;
    static constexpr storage_class stored_as =
        std::is_floating_point_v<Rep> ? storage_class::real : storage_class::integer;
    static duration read(value_ref source) { return duration(mapping<Rep>::read(source)); }
    static void write(value_sink sink, duration length) {
        mapping<Rep>::write(sink, length.count());
    }
};

template <class TimePoint>
struct mapping<epoch<TimePoint>> {
    using duration = typename TimePoint::duration;
    static constexpr storage_class stored_as = mapping<duration>::stored_as;
    static epoch<TimePoint> read(value_ref source) {
        return {TimePoint(mapping<duration>::read(source))};
    }
    static void write(value_sink sink, const epoch<TimePoint>& content) {
        mapping<duration>::write(sink, content.time.time_since_epoch());
    }
};

/// Points in time of the system clock.
template <class Duration>
struct mapping<std::chrono::sys_time<Duration>> {
    using time_point = std::chrono::sys_time<Duration>;
    static constexpr storage_class stored_as = time_storage<time_point> == time_format::iso8601
                                                   ? storage_class::text
                                                   : mapping<Duration>::stored_as;

    static time_point read(value_ref source) {
        if constexpr (time_storage<time_point> == time_format::epoch) {
            return mapping<epoch<time_point>>::read(source).time;
        } else {
            detail::check_text_is_exact<Duration>();
            return time_point(detail::to_duration<Duration>(detail::parse_iso8601(source), source));
        }
    }
    static void write(value_sink sink, time_point time) {
        if constexpr (time_storage<time_point> == time_format::epoch) {
            mapping<epoch<time_point>>::write(sink, {time});
        } else {
            using namespace std::chrono;
            detail::check_text_is_exact<Duration>();
            if (!detail::has_four_digit_year(time.time_since_epoch())) {
                sink.fail("a time outside the years 0 to 9999 has no ISO-8601 text",
                          "bind it as skiff::epoch");
            }
            const auto seconds_part = floor<seconds>(time);
            const auto rest = duration_cast<nanoseconds>(time - seconds_part);
            char text[detail::iso8601_bytes_max];
            const detail::utc_time utc{seconds_part.time_since_epoch().count(),
                                       static_cast<std::int32_t>(rest.count())};
            const auto size =
                detail::format_iso8601(utc, detail::fraction_digits<Duration>(), text);
            sink.copied_text({text, size});
        }
    }
};

template <>
struct mapping<std::chrono::year_month_day> {
    static constexpr storage_class stored_as = storage_class::text;
    static std::chrono::year_month_day read(value_ref source) { return detail::parse_date(source); }
    static void write(value_sink sink, std::chrono::year_month_day date) {
        const int year = static_cast<int>(date.year());
        if (!date.ok()) sink.fail("not a day of the calendar");
        if (year < 0 || year > 9999) sink.fail("a day outside the years 0 to 9999");
        char text[detail::iso8601_bytes_max];
        const auto size = detail::format_date(date, text);
        sink.copied_text({text, size});
    }
};

}  // namespace skiff
